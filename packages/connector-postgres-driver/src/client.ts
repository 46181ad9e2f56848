import { z } from 'zod';
import { defineClient } from '@fair-bench/contract';
import { connectTransferSession, timedSessionConfig } from '@fair-bench/postgres';

const optionsSchema = z.strictObject({ applicationName: z.string() });

/** One connection for each session, on which as many prepared calls are under way as the load client asks for. */
export default defineClient({
  name: 'postgres-driver',
  sessions: {
    transfer: async ({ url, options }, { signal }) =>
      await connectTransferSession(
        timedSessionConfig(url, optionsSchema.parse(options).applicationName),
        signal,
      ),
  },
});
