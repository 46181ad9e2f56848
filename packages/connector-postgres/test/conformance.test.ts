import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = (name: string): string => fileURLToPath(new URL(`../src/clients/${name}.ts`, import.meta.url));

describeConnector(routeOf(connector, 'drizzle'), client('rpc'));
describeConnector(routeOf(connector, 'storedproc'), client('rpc'));
describeConnector(routeOf(connector, 'driver'), client('driver'), { killable: true });
