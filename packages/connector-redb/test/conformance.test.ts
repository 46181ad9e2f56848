import { fileURLToPath } from 'node:url';
import { describeConnector, describeNativeClient, everyPart } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('client.ts', import.meta.url));
const route = routeOf(connector, 'embedded');

// First, because it gives the build its time.
describeNativeClient(route, client, 'redb', {}, { engine: 'redb', workloads: ['transfer'] });
// Its sessions and trials are those of the native client, above.
describeConnector(route, client, {
  parts: ['model', 'batches', 'tables', 'kill'],
  killable: true,
  someParts: everyPart,
  drawnOperations: 300,
});
