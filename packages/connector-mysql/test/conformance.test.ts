import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = (path: string): string => fileURLToPath(new URL(`../src/${path}.ts`, import.meta.url));

// Its other bindings and its code are MariaDB's; `objects` has one of its own.
const some = ['transfer', 'objects'];
describeConnector(routeOf(connector, 'driver'), client('client'), {
  some,
  killable: true,
  // mysql2 keeps a connection's next statement until the reply to the one before.
  pipelines: false,
});
describeConnector(routeOf(connector, 'drizzle'), client('drizzle-client'), { some });
