import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { clientCodecSchema } from '@fair-bench/contract';
import {
  ClientPool,
  PreparedPool,
  readSqlBinding,
  stockCalls,
  timedSessionConfig,
} from '@fair-bench/connector-postgres/sessions';
import type { RpcServerImplementation } from '@fair-bench/rpc/server';

const settingsSchema = z.strictObject({
  url: z.string().min(1),
  codec: clientCodecSchema.default('stock'),
});

const applicationName = 'fair-bench postgres-storedproc';
const openMsMax = 15_000;

/**
 * PostgreSQL by one call of a prepared statement: one round trip per operation. The stock codec uses the same pool of
 * node-postgres as an ORM's statements, so the two routes differ only in their data access.
 */
export const postgresStoredprocServer: RpcServerImplementation<z.infer<typeof settingsSchema>> = {
  name: 'postgres-storedproc',
  settingsSchema,
  async openBackend({ url, codec }, { poolSize, workload, binding }) {
    const statements = binding === null ? {} : readSqlBinding(fileURLToPath(binding)).statements;
    const prepared = { workload, statements, protocol: 'prepared', texts: {}, batches: false } as const;
    if (codec === 'stock') {
      return await ClientPool.open({
        url,
        applicationName,
        poolSize,
        bind(client) {
          const calls = stockCalls(client, prepared);
          return (operation, values) => calls.execute(operation, values);
        },
      });
    }
    const open = async (size: number) =>
      await PreparedPool.open(
        timedSessionConfig(url, applicationName),
        { ...prepared, codec },
        size,
        AbortSignal.timeout(openMsMax),
      );
    let pool = await open(poolSize);
    return {
      execute: (operation, values) => pool.execute(operation, values),
      settings: async () => ({ ...(await pool.settings()) }),
      async recycle(size) {
        await pool.close();
        pool = await open(size);
      },
      close: () => pool.close(),
    };
  },
};
