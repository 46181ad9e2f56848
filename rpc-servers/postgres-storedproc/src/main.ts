import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { clientCodecSchema } from '@fair-bench/contract';
import {
  preparedDatabase,
  readSqlBinding,
  stockCalls,
  stockDatabase,
  timedSessionConfig,
} from '@fair-bench/connector-postgres/sessions';
import { PooledBackend, runRpcServer } from '@fair-bench/rpc/server';

const settingsSchema = z.strictObject({
  url: z.string().min(1),
  codec: clientCodecSchema.default('stock'),
});

const applicationName = 'fair-bench postgres-storedproc';

/**
 * PostgreSQL by one call of a prepared statement: one round trip per operation. The stock codec uses the same pool of
 * node-postgres as an ORM's statements, so the two routes differ only in their data access.
 */
await runRpcServer<z.infer<typeof settingsSchema>>({
  name: 'postgres-storedproc',
  settingsSchema,
  async openBackend({ url, codec }, { poolSize, workload, binding }) {
    const statements = binding === null ? {} : readSqlBinding(fileURLToPath(binding)).statements;
    const prepared = { workload, statements, protocol: 'prepared', texts: {}, batches: false } as const;
    if (codec === 'tuned') {
      const config = timedSessionConfig(url, applicationName);
      return await PooledBackend.open(preparedDatabase(config, { ...prepared, codec }), poolSize);
    }
    const database = stockDatabase(url, applicationName, (client) => {
      const calls = stockCalls(client, prepared);
      return (operation, values) => calls.execute(operation, values);
    });
    return await PooledBackend.open(database, poolSize);
  },
});
