import { defineClient } from '@fair-bench/contract';
import { connectRpcSession } from '@fair-bench/rpc/client';

export default defineClient({ name: 'null-http', sessions: { transfer: connectRpcSession } });
