import { z } from 'zod';
import { stockDatabase } from '@fair-bench/connector-postgres/sessions';
import { importBinding, PooledBackend, runRpcServer } from '@fair-bench/rpc/server';

const settingsSchema = z.strictObject({ url: z.string().min(1) });

/** PostgreSQL through the binding's ORM on a pool of node-postgres, as an application would use it. */
await runRpcServer<z.infer<typeof settingsSchema>>({
  name: 'postgres-drizzle',
  settingsSchema,
  async openBackend({ url }, { poolSize, binding, workload }) {
    const bind = await importBinding(binding, workload);
    return await PooledBackend.open(stockDatabase(url, 'fair-bench postgres-drizzle', bind), poolSize);
  },
});
