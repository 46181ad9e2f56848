import { z } from 'zod';
import { defineClient } from '@fair-bench/contract';
import { timedSessionConfig } from '../connection.ts';
import { connectTransferSession } from '../transfer-session.ts';

const optionsSchema = z.strictObject({ applicationName: z.string() });

/** One connection for each session, on which as many prepared calls are under way as the load client asks for. */
export default defineClient({
  sessions: {
    transfer: async ({ url, options }, { signal }) =>
      await connectTransferSession(
        timedSessionConfig(url, optionsSchema.parse(options).applicationName),
        signal,
      ),
  },
});
