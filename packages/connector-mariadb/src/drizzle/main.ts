import {
  type BoundOperations,
  importBinding,
  PooledBackend,
  type PooledDatabase,
  runRpcServer,
} from '@fair-bench/rpc/server';
import { createPool, type PoolConnection } from 'mysql2';
import type { PoolConnection as BoundConnection } from 'mysql2/promise';
import { z } from 'zod';
import { endpointOf } from '../endpoint.ts';
import { system } from '../system.ts';

const connectMsMax = 15_000;
const settingsSchema = z.strictObject({ url: z.string().min(1) });
const settingRowsSchema = z.array(z.tuple([z.string(), z.string()]));

/** MariaDB through the binding's ORM on a pool of mysql2, as an application would use it. */
await runRpcServer<z.infer<typeof settingsSchema>>({
  name: 'mariadb-drizzle',
  settingsSchema,
  async openBackend({ url }, { poolSize, binding, workload }) {
    return await PooledBackend.open(databaseAt(url, await importBinding(binding, workload)), poolSize);
  },
});

function databaseAt(
  url: string,
  bind: (connection: BoundConnection) => BoundOperations,
): PooledDatabase<PoolConnection> {
  const endpoint = endpointOf(url);
  return {
    openPool(size) {
      const pool = createPool({
        ...endpoint,
        connectionLimit: size,
        maxIdle: size,
        connectTimeout: connectMsMax,
        // Integers beyond 2⁵³ come exactly, as decimal texts.
        supportBigNumbers: true,
        bigNumberStrings: true,
      });
      return {
        acquire: async () =>
          await new Promise((resolve, reject) => {
            pool.getConnection((error, connection) => {
              if (error === null) resolve(connection);
              else reject(error);
            });
          }),
        release(connection, isBroken) {
          if (isBroken) connection.destroy();
          else connection.release();
        },
        close: async () => await pool.promise().end(),
      };
    },
    bind: (connection) => bind(connection.promise()),
    async settings(connection) {
      const [rows] = await connection.promise().query({ sql: system.settings, rowsAsArray: true });
      return Object.fromEntries(settingRowsSchema.parse(rows));
    },
    faults: system.faults,
  };
}
