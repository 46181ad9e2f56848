import { z } from 'zod';
import { clientCodecSchema, defineClient, statementProtocolSchema } from '@fair-bench/contract';
import { statementsSchema } from '@fair-bench/sql';
import { timedSessionConfig } from '../connection.ts';
import { connectPrepared } from '../prepared-session.ts';
import { textsSchema } from '../simple-texts.ts';

const optionsSchema = z.strictObject({
  applicationName: z.string(),
  statements: statementsSchema,
  protocol: statementProtocolSchema.default('prepared'),
  texts: textsSchema.default({}),
  codec: clientCodecSchema.default('stock'),
  batches: z.boolean().default(false),
});

/** One connection per session, with as many calls outstanding as the load client sends. */
export default defineClient({
  async connect({ url, options }, { signal, workload }) {
    const { applicationName, ...prepared } = optionsSchema.parse(options);
    const config = timedSessionConfig(url, applicationName);
    return await connectPrepared(config, { workload, ...prepared }, signal);
  },
});
