import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

describeConnector(routeOf(connector, 'http'), fileURLToPath(new URL('../src/client.ts', import.meta.url)));
describeConnector(
  routeOf(connector, 'embedded'),
  fileURLToPath(new URL('../src/embedded-client.ts', import.meta.url)),
);
