import { defineClient } from '@fair-bench/contract';
import { connectSession } from './session.ts';

/** One WebSocket of the official client for each session. */
export default defineClient({
  name: 'convex-sdk',
  sessions: { transfer: async ({ url }, { signal }) => await connectSession(url, signal) },
});
