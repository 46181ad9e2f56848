import { testRpcConnector } from '@fair-bench/rpc/test-support';
import { routeOf } from '@fair-bench/contract';
import client from '../src/clients/rpc.ts';
import connector from '../src/index.ts';

for (const appRuntime of ['node', 'bun'] as const) {
  testRpcConnector(routeOf(connector, 'drizzle'), client, { appRuntime });
  testRpcConnector(routeOf(connector, 'storedproc'), client, { appRuntime });
}
