import { fileURLToPath } from 'node:url';
import { describeConnector, describeNativeClient } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('heed-client.ts', import.meta.url));
const route = routeOf(connector, 'heed');

// First, because it gives the build its time.
describeNativeClient(route, client, 'lmdb', {}, { engine: 'lmdb', workloads: ['transfer'] });
// Its sessions and trials are those of the native client, above.
describeConnector(route, client, {
  parts: ['model', 'batches', 'tables', 'kill'],
  killable: true,
  drawnOperations: 300,
});
