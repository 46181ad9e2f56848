import {
  type Connector,
  defineConnector,
  type Deployment,
  type Facts,
  type ProvisionContext,
  type SharedService,
  tableAt,
  type TargetOptions,
} from '@fair-bench/contract';
import {
  bindingOf,
  type DatabaseServer,
  type DatabaseSystem,
  probeServer,
  provideServer,
  withBinding,
} from '@fair-bench/supervisor';
import { readSqlBinding, runScript } from './binding.ts';
import type { Dialect, SqlConnection } from './dialect.ts';
import { openSql, readSettings, type SqlSystem, textOf } from './system.ts';
import {
  createSchema,
  createTables,
  dropSchema,
  type OpenConnection,
  readRows,
  sqlTables,
} from './tables.ts';

const closeMsMax = 10_000;

/** A connector of one route, straight by the system's driver; its operations are in a workload's `<system>.sql`. */
export function sqlConnector(system: SqlSystem, route: string): Connector {
  const database: DatabaseSystem = {
    ...system,
    async version(url, signal) {
      await using connection = await openSql(system, url, signal);
      return await textOf(connection, system.version);
    },
  };
  const file = `${system.name}.sql`;
  return defineConnector({
    system: system.name,
    fairProfile: system.fairProfile,
    routes: {
      [route]: {
        probe: withBinding(file, async (options) => await probeServer(database, options)),
        provision: async (context: ProvisionContext) =>
          await deploymentOf(system, file, context, await provideServer(database, context)),
      },
    },
  });
}

async function deploymentOf(
  system: SqlSystem,
  file: string,
  context: ProvisionContext,
  server: DatabaseServer,
): Promise<Deployment> {
  const { target, options } = context;
  const { dialect } = system;
  const { workload, path } = bindingOf(target, options, file);
  const shapes = workload.shape.tables;
  const { script, statements } = readSqlBinding(path);
  const open: OpenConnection = async (signal) => await openSql(system, server.url, signal);
  const install = async (connection: SqlConnection): Promise<void> =>
    await runScript(path, script, system.title, async (text) => await connection.query(text, []));
  await context.shared(`${server.url} ${path}`, async () => {
    await using connection = await open(context.signal);
    if (dialect.schema !== null) await createSchema(connection, dialect);
    await createTables(connection, shapes, dialect);
    await install(connection);
    return schemaOf(server, dialect, open);
  });
  return {
    endpoint: { url: server.url, options: { statements } },
    processes: server.processes,
    check: async (signal) => await server.check(signal),
    async prepare(signal) {
      if (system.settle === undefined) return;
      await using connection = await open(signal);
      await connection.query(system.settle, []);
    },
    async facts(signal) {
      await using connection = await open(signal);
      return await factsOf(system, server, options, connection);
    },
    counters: () => Promise.resolve({}),
    inFlight: () => Promise.resolve(null),
    async observe(signal) {
      const connection = await open(signal);
      return {
        read: async (table, keys) =>
          await readRows(connection, tableAt(system.name, shapes, table), dialect, keys),
        committed: null,
        committedHasReads: false,
        settings: async () => await readSettings(connection, system.settings),
        unflushed: null,
        lastWriters: null,
        close: async () => await connection[Symbol.asyncDispose](),
      };
    },
    tables: {
      ...sqlTables(system.name, shapes, dialect, open),
      async install(_binding, signal) {
        await using connection = await open(signal);
        await install(connection);
      },
    },
    // The schema and the server end with the last target that uses them.
    close: () => Promise.resolve(),
  };
}

/** Our schema as a service: a server of ours is deleted as a whole, a user's loses only the schema. */
function schemaOf(server: DatabaseServer, dialect: Dialect, open: OpenConnection): SharedService {
  return {
    check: async (signal) => await server.check(signal),
    async close() {
      if (server.provider !== 'url' || dialect.schema === null) return;
      await using connection = await open(AbortSignal.timeout(closeMsMax));
      await dropSchema(connection, dialect);
    },
  };
}

/** `connection` is like the timed ones. */
async function factsOf(
  system: SqlSystem,
  { provider, storage }: DatabaseServer,
  { sessionsMax }: TargetOptions,
  connection: SqlConnection,
): Promise<Facts> {
  const settings = await readSettings(connection, system.settings);
  return {
    system: { name: system.title, version: await textOf(connection, system.version) },
    provider,
    durability: system.durabilityOf(settings),
    isolation: system.isolationOf(settings),
    settings,
    appServer: null,
    wireProtocol: system.wireProtocol,
    // A commit for each session may wait for one flush of the log.
    writersMax: sessionsMax,
    storage,
  };
}
