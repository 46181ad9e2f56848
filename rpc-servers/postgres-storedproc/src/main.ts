import { runRpcServer } from '@fair-bench/rpc/server';
import { postgresStoredprocServer } from './server.ts';

await runRpcServer(postgresStoredprocServer);
