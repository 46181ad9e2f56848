import { z } from 'zod';
import { createTransferPool, timedSessionConfig } from '@fair-bench/connector-postgres/sessions';
import type { RpcServerImplementation } from '@fair-bench/rpc/server';

const settingsSchema = z.strictObject({ url: z.string().min(1) });

const applicationName = 'fair-bench postgres-storedproc';
const openMsMax = 15_000;

/** PostgreSQL by one call of a prepared statement: a transfer is one round trip. */
export const postgresStoredprocServer: RpcServerImplementation<z.infer<typeof settingsSchema>> = {
  name: 'postgres-storedproc',
  settingsSchema,
  async openBackend({ url }, { poolSize }) {
    const pool = await createTransferPool(
      timedSessionConfig(url, applicationName),
      poolSize,
      AbortSignal.timeout(openMsMax),
    );
    return {
      transfer: (source, target, amount) => pool.execute({ source, target, amount }),
      settings: async () => ({ ...(await pool.settings()) }),
      recycle: () => pool.recycle(),
      close: () => pool.close(),
    };
  },
};
