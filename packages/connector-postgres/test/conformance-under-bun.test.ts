import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/clients/rpc.ts', import.meta.url));

// The runtime only affects the server, which is the same for every workload.
const underBun = { appRuntime: 'bun', workloads: ['transfer'], drawnOperations: 300 } as const;
describeConnector(routeOf(connector, 'drizzle'), client, underBun);
// The stock codec under Bun is in keeps-the-rpc-protocol. The server's evidence and tables are those of the other route.
describeConnector(routeOf(connector, 'storedproc'), client, {
  ...underBun,
  extra: { clientCodec: 'tuned' },
  parts: ['model', 'sessions', 'trials'],
});
