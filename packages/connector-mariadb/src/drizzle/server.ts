import { importBinding, type RpcServerImplementation } from '@fair-bench/rpc/server';
import { z } from 'zod';
import { ConnectionPool } from './connection-pool.ts';

const settingsSchema = z.strictObject({ url: z.string().min(1) });

/** MariaDB through the binding's ORM on a pool of mysql2, as an application would use it. */
export const mariadbDrizzleServer: RpcServerImplementation<z.infer<typeof settingsSchema>> = {
  name: 'mariadb-drizzle',
  settingsSchema,
  async openBackend({ url }, { poolSize, binding, workload }) {
    const bind = await importBinding(binding, workload);
    return await ConnectionPool.open({ url, poolSize, bind });
  },
};
