import { defineClient } from '@fair-bench/contract';
import { endpointOptionsSchema } from './endpoint-options.ts';
import { connectSession } from './session.ts';

/** One WebSocket for each session, on which as many reducer calls are under way as the load client asks for. */
export default defineClient({
  name: 'spacetimedb-sdk',
  sessions: {
    transfer: async ({ url, options }, { signal }) =>
      await connectSession({ url, ...endpointOptionsSchema.parse(options) }, signal),
  },
});
