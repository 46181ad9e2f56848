import { z } from 'zod';
import { defineClient } from '@fair-bench/contract';
import { statementsSchema } from '@fair-bench/sql';
import { clientCodecSchema } from '../calls.ts';
import { timedSessionConfig } from '../connection.ts';
import { connectPrepared } from '../prepared-session.ts';

const optionsSchema = z.strictObject({
  applicationName: z.string(),
  statements: statementsSchema,
  codec: clientCodecSchema.default('stock'),
});

/** One connection per session, with as many prepared calls outstanding as the load client sends. */
export default defineClient({
  async connect({ url, options }, { signal, workload }) {
    const { applicationName, ...prepared } = optionsSchema.parse(options);
    const config = timedSessionConfig(url, applicationName);
    return await connectPrepared(config, { workload, ...prepared }, signal);
  },
});
