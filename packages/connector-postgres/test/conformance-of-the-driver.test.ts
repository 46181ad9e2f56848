import { fileURLToPath } from 'node:url';
import { describeConnector, everyPart } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/clients/driver.ts', import.meta.url));

// A file of its own, so that it runs beside the other routes.
describeConnector(routeOf(connector, 'driver'), client, { killable: true, someParts: everyPart });
