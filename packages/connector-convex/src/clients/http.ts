import { defineClient } from '@fair-bench/contract';
import { rpcClient } from '@fair-bench/rpc/client';

/** The HTTP action speaks the RPC protocol. */
export default defineClient(rpcClient);
