import { z } from 'zod';
import { defineClient } from '@fair-bench/contract';
import { preparedSchema } from '../calls.ts';
import { timedSessionConfig } from '../connection.ts';
import { connectPrepared } from '../prepared-session.ts';

const optionsSchema = preparedSchema.extend({ applicationName: z.string() });

/** One connection per session, with as many calls outstanding as the load client sends. */
export default defineClient({
  async connect({ url, options }, { signal, workload }) {
    const { applicationName, ...prepared } = optionsSchema.parse(options);
    const config = timedSessionConfig(url, applicationName);
    return await connectPrepared(config, { workload, ...prepared }, signal);
  },
});
