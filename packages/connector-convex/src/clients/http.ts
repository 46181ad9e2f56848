import { defineClient } from '@fair-bench/contract';
import { rpcClient } from '@fair-bench/rpc/client';

/** The HTTP action speaks the RPC protocol: one keep-alive connection for each session, with pipelined requests. */
export default defineClient(rpcClient);
