import { z } from 'zod';
import { ClientPool } from '@fair-bench/connector-postgres/sessions';
import { importBinding, type RpcServerImplementation } from '@fair-bench/rpc/server';

const settingsSchema = z.strictObject({ url: z.string().min(1) });

/** PostgreSQL through the binding's ORM on a pool of node-postgres, as an application would use it. */
export const postgresDrizzleServer: RpcServerImplementation<z.infer<typeof settingsSchema>> = {
  name: 'postgres-drizzle',
  settingsSchema,
  async openBackend({ url }, { poolSize, binding, workload }) {
    const operationsOn = await importBinding(binding, workload);
    return await ClientPool.open({
      url,
      applicationName: 'fair-bench postgres-drizzle',
      poolSize,
      bind(client) {
        const operations = operationsOn(client);
        return (operation, values) => operations[operation]?.(values);
      },
    });
  },
};
