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
import { resultRows } from '../cells.ts';
import { endpointOf, forMysql2 } from '../endpoint.ts';
import { faults } from '../faults.ts';
import { readSettings } from '../settings.ts';

const connectMsMax = 15_000;
const settingsSchema = z.strictObject({ url: z.string().min(1) });

/** A server of the family through the binding's ORM on a pool of mysql2, as an application would use it. */
await runRpcServer<z.infer<typeof settingsSchema>>({
  name: 'mysql-drizzle',
  settingsSchema,
  async openBackend({ url }, { poolSize, binding, workload }) {
    return await PooledBackend.open(databaseAt(url, await importBinding(binding, workload)), poolSize);
  },
});

function databaseAt(
  url: string,
  bind: (connection: BoundConnection) => BoundOperations,
): PooledDatabase<PoolConnection> {
  const endpoint = forMysql2(endpointOf(url));
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
      return await readSettings(async (sql) => {
        const [rows] = await connection.promise().query({ sql, rowsAsArray: true });
        return resultRows(rows);
      });
    },
    faults,
  };
}
