import { testRpcConnector } from '@fair-bench/rpc/test-support';
import { routeOf } from '@fair-bench/contract';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import client from '../src/client.ts';
import connector from '../src/index.ts';

const route = routeOf(connector, 'http');
testRpcConnector(route, client, {
  description: transfer,
  url: import.meta.resolve('@fair-bench/workloads/transfer'),
});
testRpcConnector(
  route,
  client,
  {
    description: counter,
    url: import.meta.resolve('@fair-bench/workloads/counter'),
  },
  { badRequests: 2_000 },
);
