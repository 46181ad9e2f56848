import { inTestAll } from '@fair-bench/contract/test-support';
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

// Bad requests end in the server's HTTP half, which all share, and which gets all of them under Node before the null server:
// each pair of route, runtime and workload once.
testRpcConnector(drizzle, client, tested.transfer, { badRequests: 2_000 });
testRpcConnector(storedproc, client, tested.transfer, { appRuntime: 'bun', badRequests: 2_000 });
inTestAll(() => {
  testRpcConnector(storedproc, client, tested.counter, { badRequests: 2_000 });
  testRpcConnector(drizzle, client, tested.counter, { appRuntime: 'bun' });
});
