import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = (path: string): string => fileURLToPath(new URL(`../src/${path}.ts`, import.meta.url));

// Its bindings and its code are MariaDB's, but for `objects` of the driver.
describeConnector(routeOf(connector, 'driver'), client('client'), {
  some: ['transfer', 'objects'],
  killable: true,
  // mysql2 keeps a connection's next statement until the reply to the one before.
  pipelines: false,
});
describeConnector(routeOf(connector, 'drizzle'), client('drizzle-client'), {
  some: ['counter'],
  someParts: ['model', 'sessions', 'trials'],
});
