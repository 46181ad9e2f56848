import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  createPreparedPool,
  readSqlBinding,
  timedSessionConfig,
} from '@fair-bench/connector-postgres/sessions';
import type { RpcServerImplementation } from '@fair-bench/rpc/server';

const settingsSchema = z.strictObject({ url: z.string().min(1) });

const applicationName = 'fair-bench postgres-storedproc';
const openMsMax = 15_000;

/** PostgreSQL by one call of a prepared statement: an operation is one round trip. */
export const postgresStoredprocServer: RpcServerImplementation<z.infer<typeof settingsSchema>> = {
  name: 'postgres-storedproc',
  settingsSchema,
  async openBackend({ url }, { poolSize, workload, binding }) {
    const statements = binding === null ? {} : readSqlBinding(fileURLToPath(binding)).statements;
    const pool = await createPreparedPool(
      timedSessionConfig(url, applicationName),
      { workload, statements },
      poolSize,
      AbortSignal.timeout(openMsMax),
    );
    return {
      execute: (operation, values) => pool.execute({ operation, values }),
      settings: async () => ({ ...(await pool.settings()) }),
      recycle: () => pool.recycle(),
      close: () => pool.close(),
    };
  },
};
