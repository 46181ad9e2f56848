import { runRpcServer } from '@fair-bench/rpc/server';
import { sqliteDrizzleServer } from './server.ts';

await runRpcServer(sqliteDrizzleServer);
