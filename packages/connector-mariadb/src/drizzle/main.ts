import { runRpcServer } from '@fair-bench/rpc/server';
import { mariadbDrizzleServer } from './server.ts';

await runRpcServer(mariadbDrizzleServer);
