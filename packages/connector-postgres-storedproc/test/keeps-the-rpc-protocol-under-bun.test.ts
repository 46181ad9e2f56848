import { testRpcConnector } from '@fair-bench/rpc/test-support';
import client from '../src/client.ts';
import connector from '../src/index.ts';

testRpcConnector(connector, client, { appRuntime: 'bun' });
