import { type Connector, type Observer, type SharedService, tableAt } from '@fair-bench/contract';
import {
  bindingOf,
  type DatabaseServer,
  driverConnector,
  type DriverKind,
  type OpenScoped,
  withBinding,
} from '@fair-bench/supervisor';
import { readSqlBinding, runScript } from './binding.ts';
import type { Dialect, SqlConnection } from './dialect.ts';
import { openSql, readSettings, type SqlSystem, textOf } from './system.ts';
import { createSchema, createTables, dropSchema, readRows, replaceRows, sqlTables } from './tables.ts';

const closeMsMax = 10_000;

/** A connector of one route, straight by the system's driver; its operations are in a workload's `<system>.sql`. */
export function sqlConnector(system: SqlSystem, route: string): Connector {
  const file = `${system.name}.sql`;
  return driverConnector(system, route, {
    open: async (url, signal) => await openSql(system, url, signal),
    version: async (connection) => await textOf(connection, system.version),
    settings: async (connection) => await readSettings(connection, system.settings),
    probe: (server) => withBinding(file, server),
    install: installerOf(system, file),
  });
}

function installerOf(system: SqlSystem, file: string): DriverKind<SqlConnection>['install'] {
  const { dialect, name, title } = system;
  return async (context, server, open) => {
    const { target, options } = context;
    const { workload, path } = bindingOf(target, options, file);
    const shapes = workload.shape.tables;
    const { script, statements } = readSqlBinding(path);
    const install = async (connection: SqlConnection): Promise<void> =>
      await runScript(path, script, title, async (text) => await connection.query(text, []));
    await context.shared(`${server.url} ${path}`, async () => {
      await using connection = await open(context.signal);
      if (dialect.schema !== null) await createSchema(connection, dialect);
      await createTables(connection, shapes, dialect);
      await install(connection);
      return schemaOf(server, dialect, open);
    });
    return {
      options: { statements },
      // A commit for each session may wait for one flush of the log.
      writersMax: options.sessionsMax,
      async prepare(signal) {
        if (system.settle === undefined) return;
        await using connection = await open(signal);
        await connection.query(system.settle, []);
      },
      async counters(signal) {
        if (system.counters === undefined) return {};
        await using connection = await open(signal);
        return await system.counters(connection);
      },
      committed: async (connection) => ({
        committed: await commitsOf(system, connection),
        committedHasReads: false,
      }),
      read: async (connection, table, keys) =>
        await readRows(connection, tableAt(name, shapes, table), dialect, keys),
      replace: async (connection, table, rows) =>
        await replaceRows(connection, tableAt(name, shapes, table), dialect, rows),
      tables: {
        ...sqlTables(name, shapes, dialect, open),
        async install(_binding, signal) {
          await using connection = await open(signal);
          await install(connection);
        },
      },
    };
  };
}

/** As an observer's; null where the system does not count commits, or its user may not see them. */
async function commitsOf({ counters }: SqlSystem, connection: SqlConnection): Promise<Observer['committed']> {
  const first = await counters?.(connection);
  if (counters === undefined || first?.commits === undefined) return null;
  return async () => (await counters(connection)).commits ?? 0;
}

/** Our schema as a service: a server of ours is deleted as a whole, a user's loses only the schema. */
function schemaOf(server: DatabaseServer, dialect: Dialect, open: OpenScoped<SqlConnection>): SharedService {
  return {
    check: async (signal) => await server.check(signal),
    async close() {
      if (server.provider !== 'url' || dialect.schema === null) return;
      await using connection = await open(AbortSignal.timeout(closeMsMax));
      await dropSchema(connection, dialect);
    },
  };
}
