import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/client.ts', import.meta.url));

// DuckDB never waits for another transaction's row: with eight connections, an order on seven items can lose a hundred
// times. Each time it waits for a connection behind all others that are outstanding.
describeConnector(routeOf(connector, 'embedded'), client, {
  killable: true,
  drawnOperations: 500,
  poolSize: 2,
  sessions: 2,
});
