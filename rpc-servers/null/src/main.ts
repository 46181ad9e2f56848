import { runRpcServer } from '@fair-bench/rpc/server';
import { nullServer } from './server.ts';

await runRpcServer(nullServer);
