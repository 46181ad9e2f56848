import { testRpcConnector } from '@fair-bench/rpc/test-support';
import { routeOf } from '@fair-bench/contract';
import client from '../src/client.ts';
import connector from '../src/index.ts';

testRpcConnector(routeOf(connector, 'drizzle'), client);
