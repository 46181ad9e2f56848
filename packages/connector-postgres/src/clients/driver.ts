import { z } from 'zod';
import { defineClient } from '@fair-bench/contract';
import { timedSessionConfig } from '../connection.ts';
import { connectPrepared } from '../prepared-session.ts';
import { statementsSchema } from '../statements.ts';

const optionsSchema = z.strictObject({ applicationName: z.string(), statements: statementsSchema });

/** One connection for each session, on which as many prepared calls are under way as the load client asks for. */
export default defineClient({
  async connect({ url, options }, { signal, workload }) {
    const { applicationName, statements } = optionsSchema.parse(options);
    const config = timedSessionConfig(url, applicationName);
    const session = await connectPrepared(config, { workload, statements }, signal);
    return {
      execute: (operation, values) => session.execute({ operation, values }),
      close: () => session.close(),
    };
  },
});
