import { fileURLToPath } from 'node:url';
import { describeConnector, everyPart } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/client.ts', import.meta.url));

describeConnector(routeOf(connector, 'drizzle'), client, { killable: true, someParts: everyPart });

const embedded = fileURLToPath(new URL('../src/embedded-client.ts', import.meta.url));

describeConnector(routeOf(connector, 'embedded'), embedded, { killable: true });
