import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { requestedDurabilitySchema } from '@fair-bench/contract';
import {
  type BoundOperations,
  importBinding,
  ownPool,
  PooledBackend,
  type PooledDatabase,
  type RpcServerImplementation,
} from '@fair-bench/rpc/server';
import type { SqlConnection } from '../dialect.ts';
import { readSettings, textOf } from '../system.ts';
import { createTables, sqlTables } from '../tables.ts';
import {
  type EmbeddedDatabase,
  type EmbeddedServerSettings,
  type EmbeddedSql,
  versionSetting,
} from './system.ts';

const settingsSchema = z.strictObject({
  directory: z.string().min(1),
  durability: requestedDurabilitySchema,
}) satisfies z.ZodType<EmbeddedServerSettings>;
/** Says that the tables in the directory are complete. */
const markFile = 'made-by-fair-bench';

/** The RPC server of an embedded engine, which runs inside it: pass it to `runRpcServer`. */
export function embeddedSqlServer(system: EmbeddedSql): RpcServerImplementation<EmbeddedServerSettings> {
  return {
    name: system.name,
    settingsSchema,
    hasThreadPerConnection: true,
    async openBackend({ directory, durability }, { binding, workload, poolSize }) {
      const bind = await importBinding(binding, workload);
      const database = await system.open(directory, durability);
      const create = async (): Promise<void> => {
        const connection = await database.connect();
        await createTables(connection, workload.tables, system.dialect);
        await connection.end();
      };
      await once(join(directory, markFile), create);
      const backend = await PooledBackend.open(pooled(system, database, bind), poolSize);
      const lease = async () => await leaseOf(system, database, backend);
      return {
        execute: async (operation, values) => await backend.execute(operation, values),
        settings: async () => await backend.settings(),
        tables: sqlTables(system.name, workload.tables, system.dialect, lease),
        async recycle(size) {
          const { settle } = system;
          await backend.recycle(size);
          if (settle !== undefined)
            await backend.use(async (connection) => await connection.query(settle, []));
        },
        async close() {
          await backend.close();
          await database.close();
        },
      };
    },
  };
}

/** Acts unless the mark is there already: after a kill the tables stay. */
async function once(mark: string, act: () => Promise<void>): Promise<void> {
  const isMade = await access(mark).then(
    () => true,
    () => false,
  );
  if (isMade) return;
  await act();
  await writeFile(mark, '');
}

function pooled(
  system: EmbeddedSql,
  database: EmbeddedDatabase,
  bind: (connection: SqlConnection) => BoundOperations,
): PooledDatabase<SqlConnection> {
  return {
    connectionsMax: system.connectionsMax,
    openPool: async (size) =>
      await ownPool(
        size,
        async () => await database.connect(),
        async (connection) => await connection.end(),
      ),
    bind,
    settings: async (connection) => ({
      ...(await readSettings(async (text) => await connection.query(text, []), system.settings)),
      [versionSetting]: await textOf(connection, system.version),
    }),
    faults: { ...system.faults, hasNoConnection: true },
  };
}

/** A connection of the control plane: its own or, where the database has only one, that one until it is returned. */
async function leaseOf(
  { connectionsMax }: EmbeddedSql,
  database: EmbeddedDatabase,
  backend: PooledBackend<SqlConnection>,
): Promise<SqlConnection & AsyncDisposable> {
  if (connectionsMax === undefined) {
    const connection = await database.connect();
    return leased(connection, async () => await connection.end());
  }
  const { connection, release } = await backend.lend();
  return leased(connection, async () => {
    // A scan and a load that failed leave an open transaction. Without one, this rollback fails, which is right.
    await connection.query('ROLLBACK', []).catch(() => undefined);
    release(false);
  });
}

function leased(connection: SqlConnection, end: () => Promise<void>): SqlConnection & AsyncDisposable {
  return { query: async (...words) => await connection.query(...words), end, [Symbol.asyncDispose]: end };
}
