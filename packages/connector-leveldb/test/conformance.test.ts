import { fileURLToPath } from 'node:url';
import { allButKill, describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/client.ts', import.meta.url));

describeConnector(routeOf(connector, 'embedded'), client, { killable: true, someParts: allButKill });
