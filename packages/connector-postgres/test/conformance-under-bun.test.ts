import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/clients/rpc.ts', import.meta.url));

describeConnector(routeOf(connector, 'drizzle'), client, { appRuntime: 'bun' });
describeConnector(routeOf(connector, 'storedproc'), client, { appRuntime: 'bun' });
