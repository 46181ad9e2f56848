import { existsSync } from 'node:fs';
import {
  type Connector,
  InputError,
  type Observer,
  type RouteDefinition,
  type SharedService,
  tableAt,
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
import { readSetup, type Setup, type SetupDialect, setUpTables } from './setup.ts';
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
    const setup = setupOf(system, options.setup);
    const sessions = setup === null ? [] : [setup.sessions];
    const open = withStatements([system.unlimited ?? [], sessions].flat(), openAsUser);
    const { workload, path } = bindingOf(target, options, files);
    const shapes = workload.shape.tables;
    await context.shared(`${server.url} ${workload.folder} ${options.setup ?? ''}`, async () => {
      await using connection = await open(starting);
      if (dialect.schema !== null) await createSchema(connection, dialect);
      if (setup === null) await createTables(connection, shapes, dialect);
      else {
        const { outside, ...made } = setup.dialect;
        // Nothing else is in a server of ours.
        const guarded = server.provider === 'url' && outside !== undefined ? { ...made, outside } : made;
        // What the file sets ends with the session.
        await using own = await openAsUser(starting);
        await setUpTables(own, setup.file, shapes, guarded);
      }
      return schemaOf(server, dialect, open);
    });
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
      read: async (connection, table, keys) =>
        await readRows(connection, tableAt(name, shapes, table), dialect, keys),
      replace: async (connection, table, rows) =>
        await replaceRows(connection, tableAt(name, shapes, table), dialect, rows),
      tables: {
        ...sqlTables(name, shapes, dialect, open, setup === null ? 'described' : 'own'),
        async install(_binding, signal) {
          await using connection = await open(signal);
          await install(connection);
        },
      },
    };
  };
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

/** Connections whose sessions seed and audit: no time limit of their user ends them, for one. */
function withStatements(
  statements: readonly string[],
  open: OpenScoped<SqlConnection>,
): OpenScoped<SqlConnection> {
  return async (signal) => {
    const connection = await open(signal);
    // A server that lacks a setting has no such limit.
    for (const statement of statements) await connection.query(statement, []).catch(() => []);
    return connection;
  };
}

/** The user's own tables, where a file of them is named. */
function setupOf({ name, setup }: SqlSystem, path: string | null): OwnTables | null {
  if (path === null) return null;
  if (setup === undefined)
    throw new InputError(`setup ${path}: ${name} takes no tables of yours; leave it out`);
  const dialect = setup.dialect();
  return { dialect, file: readSetup(path, dialect), sessions: setup.sessions };
}

interface OwnTables {
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
