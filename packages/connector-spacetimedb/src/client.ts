import { defineClient } from '@fair-bench/contract';
import { connectSession, endpointOptionsSchema } from './session.ts';

/** One WebSocket for each session, on which as many calls are under way as the load client sends. */
export default defineClient({
  connect: async ({ url, options }, { signal, workload }) =>
    await connectSession({ url, ...endpointOptionsSchema.parse(options) }, workload, signal),
});
