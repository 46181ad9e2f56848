import { testRpcConnector } from '@fair-bench/rpc/test-support';
import { routeOf } from '@fair-bench/contract';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import client from '../src/client.ts';
import connector from '../src/index.ts';

const route = routeOf(connector, 'drizzle');
const transfers = { description: transfer, url: import.meta.resolve('@fair-bench/workloads/transfer') };
const counters = { description: counter, url: import.meta.resolve('@fair-bench/workloads/counter') };

// The HTTP half, which all servers share, gets all of them before the null server.
testRpcConnector(route, client, transfers, { badRequests: 2_000 });
testRpcConnector(route, client, counters, { badRequests: 2_000 });
