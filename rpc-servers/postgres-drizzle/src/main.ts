import { runRpcServer } from '@fair-bench/rpc/server';
import { postgresDrizzleServer } from './server.ts';

await runRpcServer(postgresDrizzleServer);
