import { defineClient } from '@fair-bench/contract';
import { rpcClient } from '@fair-bench/rpc/client';

export default defineClient(rpcClient);
