import { fileURLToPath } from 'node:url';
import { allButKill, describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = (path: string): string => fileURLToPath(new URL(`../src/${path}.ts`, import.meta.url));

describeConnector(routeOf(connector, 'driver'), client('client'), { killable: true, someParts: allButKill });
describeConnector(routeOf(connector, 'drizzle'), client('drizzle-client'));
