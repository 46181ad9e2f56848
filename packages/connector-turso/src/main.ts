import { runRpcServer } from '@fair-bench/rpc/server';
import { embeddedSqlServer } from '@fair-bench/sql/embedded/server';
import { system } from './system.ts';

await runRpcServer(embeddedSqlServer(system));
