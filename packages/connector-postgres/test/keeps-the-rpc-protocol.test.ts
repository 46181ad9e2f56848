import { testRpcConnector } from '@fair-bench/rpc/test-support';
import { routeOf } from '@fair-bench/contract';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import client from '../src/clients/rpc.ts';
import connector from '../src/index.ts';

const drizzle = routeOf(connector, 'drizzle');
const storedproc = routeOf(connector, 'storedproc');
const tested = {
  transfer: { description: transfer, url: import.meta.resolve('@fair-bench/workloads/transfer') },
  counter: { description: counter, url: import.meta.resolve('@fair-bench/workloads/counter') },
};

for (const appRuntime of ['node', 'bun'] as const) {
  testRpcConnector(drizzle, client, tested.transfer, { appRuntime });
  testRpcConnector(storedproc, client, tested.transfer, { appRuntime });
}
testRpcConnector(drizzle, client, tested.counter);
testRpcConnector(storedproc, client, tested.counter);
