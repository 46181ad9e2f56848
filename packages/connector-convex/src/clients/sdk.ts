import { defineClient } from '@fair-bench/contract';
import { connectSession } from '../sdk/session.ts';

/** One WebSocket of the official client for each session. */
export default defineClient({
  sessions: { transfer: async ({ url }, { signal }) => await connectSession(url, signal) },
});
