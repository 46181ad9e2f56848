import { fileURLToPath } from 'node:url';
import { describeConnector, describeNativeClient } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('client.ts', import.meta.url));
const route = routeOf(connector, 'embedded');

// First, because it gives the build its time.
describeNativeClient(route, client, 'sled', {}, { engine: 'sled', workloads: ['transfer'] });
// Its sessions and trials are those of the native client, above.
// Workloads without a scan, which no transaction of sled carries out: a run never draws that of counter, this suite does.
const workloads = ['point-read', 'transfer'];
describeConnector(route, client, {
  parts: ['model', 'batches', 'tables', 'kill'],
  killable: true,
  drawnOperations: 300,
  workloads,
});
