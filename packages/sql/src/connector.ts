import { existsSync } from 'node:fs';
import {
  type Connector,
  InputError,
  type Observer,
  type RouteDefinition,
  type SharedService,
  tableAt,
  type TableShape,
  type TargetWorkload,
} from '@fair-bench/contract';
import {
  bindingOf,
  type ConnectionsOf,
  type DatabaseServer,
  driverConnector,
  type DriverKind,
  driverProbe,
  type OpenScoped,
  withBinding,
} from '@fair-bench/supervisor';
import { readSqlBinding, runScript, type Statements, statementsOf } from './binding.ts';
import type { Dialect, SqlConnection } from './dialect.ts';
import { bindingFiles, openSql, readSettings, type SqlSystem, textOf } from './system.ts';
import { createSchema, dropSchema, schemaRefusal } from './schema.ts';
import {
  type OtherRows,
  otherRowsIn,
  readSetup,
  type Setup,
  type SetupDialect,
  setUpTables,
} from './setup.ts';
import { createTables, readRows, replaceRows, sqlTables } from './tables.ts';

const closeMsMax = 10_000;

/** A connector of one route, straight by the system's driver; its operations are in a workload's `<system>.sql`, or its family's. */
export function sqlConnector(system: SqlSystem, route: string): Connector {
  return connectorOf(system, route, 'needed');
}

/**
 * The server and the tables of a route whose operations an application server sends. The script of a workload's `<system>.sql` is
 * run for it too, and may be missing or be refused: there are servers without stored procedures.
 */
export function sqlTablesConnector(system: SqlSystem, route: string): Connector {
  return connectorOf(system, route, 'optional');
}

function connectorOf(system: SqlSystem, route: string, need: 'needed' | 'optional'): Connector {
  const files = bindingFiles(system, '.sql');
  return driverConnector(system, route, {
    ...asked(system),
    ping: async (connection) => await connection.query('SELECT 1', []),
    settings: async (connection) =>
      await readSettings(async (text) => await connection.query(text, []), system.settings),
    probe: (server) => (need === 'needed' ? withBinding(files, server) : server),
    install: installerOf(system, files, need),
  });
}

/** The probe of another route to the system's servers. */
export function sqlProbe(system: SqlSystem, holds: ConnectionsOf): RouteDefinition['probe'] {
  return driverProbe(system, asked(system), holds);
}

function asked(system: SqlSystem): Pick<DriverKind<SqlConnection>, 'open' | 'version' | 'limit' | 'refusal'> {
  return {
    open: async (url, signal) => await openSql(system, url, signal),
    version: async (connection) => await textOf(connection, system.version),
    ...(system.connectionLimit === undefined ? {} : { limit: system.connectionLimit }),
    ...(system.dialect.schema === null
      ? {}
      : { refusal: async (connection) => await schemaRefusal(connection, system.dialect) }),
  };
}

function installerOf(
  system: SqlSystem,
  files: readonly string[],
  need: 'needed' | 'optional',
): DriverKind<SqlConnection>['install'] {
  const { dialect, name } = system;
  return async (context, server, openAsUser) => {
    const { target, options, signal: starting } = context;
    const setup = readFor(system, options.setup);
    /** Of every session that reads or writes rows beside the load. */
    const asControl = onceInEach(setup === null ? [] : [setup.sessions]);
    const unlimited = onceInEach(system.unlimited === undefined ? [] : [system.unlimited]);
    const open: OpenScoped<SqlConnection> = async (signal) => {
      const connection = await openAsUser(signal);
      await unlimited(connection);
      await asControl(connection);
      return connection;
    };
    const { workload, path } = bindingOf(target, options, files);
    const shapes = workload.shape.tables;
    const key = `${server.url} ${workload.folder} ${options.setup ?? ''}`;
    const { own } = await context.shared(
      key,
      async () => await makeTables({ system, server, shapes, setup }, { open, openAsUser }, starting),
    );
    const { install, statements } =
      need === 'optional' && !existsSync(path) ? nothingToInstall : scriptAt(path, system);
    const installed = context.shared(`${server.url} ${path}`, async () => {
      await using connection = await open(starting);
      await install(connection);
      // It ends with the schema.
      return { check: () => Promise.resolve(), close: () => Promise.resolve() };
    });
    await (need === 'optional' ? installed.catch(onlyRefused) : installed);
    return {
      options: { statements: statementsOf(workload.shape.operations, statements, dialect) },
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
        return await system.counters(connection, workload);
      },
      committed: async (connection) => ({
        committed: await commitsOf(system, connection, workload),
        committedHasReads: false,
      }),
      async read(connection, table, keys) {
        await asControl(connection);
        return await readRows(connection, tableAt(name, shapes, table), dialect, keys);
      },
      async replace(connection, table, rows) {
        await asControl(connection);
        await replaceRows(connection, tableAt(name, shapes, table), dialect, rows);
      },
      tables: {
        ...sqlTables(name, shapes, dialect, open, own),
        async install(_binding, signal) {
          await using connection = await open(signal);
          await install(connection);
        },
      },
    };
  };
}

interface Made {
  readonly system: SqlSystem;
  readonly server: DatabaseServer;
  readonly shapes: readonly TableShape[];
  readonly setup: SetupFor | null;
}

/** Our schema with the described tables, or those of the user's file, which is gone again where the file is refused. */
async function makeTables(
  { system: { dialect }, server, shapes, setup }: Made,
  { open, openAsUser }: Readonly<Record<'open' | 'openAsUser', OpenScoped<SqlConnection>>>,
  signal: AbortSignal,
): Promise<SharedService & { readonly own: OtherRows | null }> {
  const service = schemaOf(server, dialect, open);
  await using connection = await open(signal);
  if (dialect.schema !== null) await createSchema(connection, dialect);
  if (setup === null) {
    await createTables(connection, shapes, dialect);
    return { ...service, own: null };
  }
  try {
    // What the file sets ends with the session.
    await using alone = await openAsUser(signal);
    await setUpTables(alone, setup.file, shapes, setup.dialect, server.provider === 'url');
  } catch (error) {
    await service.close();
    throw error;
  }
  return { ...service, own: await otherRowsIn(connection, shapes, setup.dialect, dialect) };
}

/** A script that the server refuses; the rehearsal says what then does not work. */
function onlyRefused(error: unknown): void {
  if (!(error instanceof InputError)) throw error;
}

interface Script {
  readonly install: (connection: SqlConnection) => Promise<void>;
  readonly statements: Statements;
}

const nothingToInstall: Script = { install: () => Promise.resolve(), statements: {} };

function scriptAt(path: string, { title }: SqlSystem): Script {
  const { script, statements } = readSqlBinding(path);
  return {
    install: async (connection) =>
      await runScript(path, script, title, async (text) => await connection.query(text, [])),
    statements,
  };
}

/** Statements that a session runs once: no time limit of its user ends it then, for one. A server that lacks a setting has no such limit. */
function onceInEach(statements: readonly string[]): (connection: SqlConnection) => Promise<void> {
  const done = new WeakSet<SqlConnection>();
  return async (connection) => {
    if (done.has(connection)) return;
    done.add(connection);
    for (const statement of statements) await connection.query(statement, []).catch(() => []);
  };
}

/** The user's own tables, where a file of them is named. */
function readFor({ name, setup }: SqlSystem, path: string | null): SetupFor | null {
  if (path === null) return null;
  if (setup === undefined)
    throw new InputError(`setup ${path}: ${name} takes no tables of yours; leave it out`);
  const dialect = setup.dialect();
  return { dialect, file: readSetup(path, dialect), sessions: setup.sessions };
}

interface SetupFor {
  readonly dialect: SetupDialect;
  readonly file: Setup;
  readonly sessions: string;
}

/** As an observer's; null where the system does not count commits, or its user may not see them. */
async function commitsOf(
  { counters }: SqlSystem,
  connection: SqlConnection,
  workload: TargetWorkload,
): Promise<Observer['committed']> {
  const first = await counters?.(connection, workload);
  if (counters === undefined || first?.commits === undefined) return null;
  return async () => (await counters(connection, workload)).commits ?? 0;
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
