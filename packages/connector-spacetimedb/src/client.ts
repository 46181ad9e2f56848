import { defineClient } from '@fair-bench/contract';
import { connectSession, endpointOptionsSchema } from './session.ts';

/** One WebSocket for each session, on which as many reducer calls are under way as the load client asks for. */
export default defineClient({
  sessions: {
    transfer: async ({ url, options }, { signal }) =>
      await connectSession({ url, ...endpointOptionsSchema.parse(options) }, signal),
  },
});
