import { defineClient } from '@fair-bench/contract';
import { connectRpcSession } from '@fair-bench/rpc/client';

export default defineClient({ sessions: { transfer: connectRpcSession } });
