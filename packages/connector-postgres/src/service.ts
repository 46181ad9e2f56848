import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ControlPlane,
  type Facts,
  type ProcessRef,
  type ProvisionContext,
  type SharedService,
  type TableShape,
  type TargetOptions,
  type WorkCounters,
  logPart,
  messageOf,
  ourSchema,
} from '@fair-bench/contract';
import type { ClientConfig } from 'pg';
import { createSchema, createTables, dropSchema, readSetup } from '@fair-bench/sql';
import { redactUrl, storageOf } from '@fair-bench/supervisor';
import { type Capabilities, detectCapabilities, lackOf, preparedIf } from './capabilities.ts';
import { ControlConnections, sqlOf, withClient } from './connection.ts';
import { type EndingSessions, readCounters } from './counters.ts';
import { readBackground } from './background.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded-server.ts';
import { installBinding } from './install.ts';
import { describeLoading, detectLoading, type Loading, wholeLoading } from './loading.ts';
import { extraSchema, profileDifferences, profileOf } from './profile.ts';
import { makeOwnTables, type OwnTables, setupDialect } from './own-tables.ts';
import { type Pooler, startPooler } from './poolers/start.ts';
import { asLibpq, sessionUrl, withOptions } from './session-url.ts';
import { readSettings, type Tablespace } from './settings.ts';
import { reachedVersion } from './probe.ts';
import { dialect } from './statements.ts';
import { mayCheckpoint, postgresTables, setTables } from './tables.ts';

/** The binding of the routes that call functions. */
export const sqlBindingFile = 'postgres.sql';

/** A PostgreSQL from the view of one `postgres-*` target; the server serves others too. */
export interface PostgresService extends PostgresServer {
  /** The server's URL for sessions of the target, with their requested settings. */
  readonly url: string;
  /** What stands before it; the timed sessions then have the pooler's URL. */
  readonly pooler: Pooler | null;
  /** Of the workload's tables. */
  readonly shapes: readonly TableShape[];
  readonly tables: ControlPlane;
}

/** A PostgreSQL that serves one or more `postgres-*` targets. */
interface PostgresServer extends SharedService {
  /** With its password, for connections; never shown. */
  readonly url: string;
  readonly provider: 'embedded' | 'binary' | 'url';
  /** The path of the workload's `postgres.sql`; null without one, or if the server cannot create functions. */
  readonly sqlBinding: string | null;
  /** The postmaster, if we started it. */
  readonly processes: readonly ProcessRef[];
  readonly control: ControlConnections;
  /** Of the user's own tables; null for ours. */
  readonly own: OwnTables | null;
  /** How it takes many rows at once. */
  readonly loading: Loading;
  /** Where a server of ours samples the statements that it is sent; null for the user's. */
  readonly statementLog: string | null;
  /** What we know besides the server's settings. */
  readonly settings: Readonly<Record<string, string>>;
  /** The data directory, with the log's and the tablespaces', as far as they are visible from here. */
  storage(dataDirectory: string | null, tablespaces: readonly Tablespace[]): Promise<Facts['storage']>;
  /** Checkpoints, so that no trial pays for another's writes; does nothing without the right to. */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Counters of the database. Sessions report when they end: this waits until none of these is left and the count no
   * longer rises.
   */
  counters(sessions: EndingSessions, signal: AbortSignal): Promise<WorkCounters>;
  /** As a deployment's. */
  background(signal: AbortSignal): Promise<Readonly<Record<string, number>>>;
}

/**
 * The PostgreSQL of a target, started once for all that may share it: the user's by URL, or an embedded one for each
 * profile. Durability and isolation are requested in the target's sessions. Rejects with target, fact and remedy; a
 * URL is shown without its password.
 */
export async function startPostgres(context: ProvisionContext): Promise<PostgresService> {
  const { options, signal } = context;
  const { program, workload } = options;
  const url = options.url === undefined ? undefined : asLibpq(options.url);
  const profile = profileOf(options);
  const { tls } = extraSchema.parse(options.extra);
  // A server of ours has one schema.
  const key =
    url === undefined
      ? `postgres ${program ?? 'embedded'} ${profile.name} tls ${tls} ${options.setup ?? ''}`
      : `postgres ${url}`;
  const under =
    url === undefined
      ? await context.shared(
          key,
          async () => await startEmbeddedServer(context, profile.server, tls === 'on'),
        )
      : null;
  const made = `${workload?.folder ?? 'no workload'} in ${options.setup ?? 'its own tables'}`;
  const server = await context.shared(`${key} for ${made}`, async () =>
    under === null ? await reach(context, url ?? '') : await serviceOn(context, under),
  );
  const differences = await server.control.use(signal, async (client) => {
    if (server.own === null) await setTables(client, workload?.shape.tables ?? [], profile);
    return profileDifferences(profile, await readSettings(client));
  });
  if (differences.length > 0) {
    throw new Error(`${context.target}: its PostgreSQL differs from the profile: ${differences.join('; ')}`);
  }
  const pooler = await startPooler(context, server.url);
  return {
    ...server,
    url: sessionUrl(server.url, options),
    pooler,
    shapes: workload?.shape.tables ?? [],
    tables: postgresTables(server.control, workload?.shape ?? null, profile, {
      sqlBinding: server.sqlBinding,
      hasBatches: options.batchMax > 1,
      loading: server.loading,
      own: server.own,
    }),
    settings: { ...server.settings, 'fair_bench.profile': profile.name },
  };
}

function controlConfig(url: string): { connectionString: string; application_name: string } {
  return { connectionString: url, application_name: 'fair-bench control' };
}

/** On a server of ours. */
async function serviceOn(context: ProvisionContext, server: EmbeddedServer): Promise<PostgresServer> {
  const provider = context.options.program === null ? 'embedded' : 'binary';
  const service = await createService(context, server.url, provider);
  return {
    ...service,
    processes: server.processes,
    statementLog: server.process.logPath,
    check: async (signal) => await server.check(signal),
    // The whole cluster is deleted; there is nothing to drop in it.
    close: () => Promise.resolve(service.control.close()),
  };
}

async function reach(context: ProvisionContext, url: string): Promise<PostgresServer> {
  try {
    await reachedVersion(url, context.signal);
    return await createService(context, url, 'url');
  } catch (cause) {
    throw new Error(
      `${context.target}: PostgreSQL at ${redactUrl(url)}: ${messageOf(cause)}; ` +
        'check the URL, and what its user may do there',
      { cause },
    );
  }
}

/** Our own server is as we start it, without a pooler. */
const allCapabilities: Capabilities = { pooling: 'none', preparedStatements: true, functions: true };

async function createService(
  { target, options, signal: started }: ProvisionContext,
  url: string,
  provider: PostgresServer['provider'],
): Promise<PostgresServer> {
  // Functions and triggers of the user's own tables name them without a schema.
  const path = options.setup === null ? {} : { search_path: ourSchema() };
  const config = controlConfig(withOptions(url, path));
  const capabilities = provider === 'url' ? await detectCapabilities(url, started) : allCapabilities;
  const lack = lackOf(capabilities, preparedIf(options.protocol));
  if (lack !== null) throw new Error(`${lack.reason}; ${lack.remedy}`);
  const { workload } = options;
  const file = workload === null ? null : join(workload.folder, sqlBindingFile);
  const sqlBinding = capabilities.functions && file !== null && existsSync(file) ? file : null;
  if (options.setup !== null && capabilities.pooling === 'transaction') {
    // What a file sets would be set for others who get its connection.
    const remedy = 'name the URL of the server itself';
    throw new Error(
      `setup: its URL leads to a pooler that gives a connection to others between transactions; ${remedy}`,
    );
  }
  const control = new ControlConnections(config, capabilities.pooling);
  const { checkpoints, loading, own } = await makeSchema(
    { control, config, sqlBinding, provider },
    options,
    started,
  );
  return {
    url,
    provider,
    sqlBinding,
    control,
    own,
    loading,
    processes: [],
    statementLog: null,
    settings: {
      'fair_bench.checkpoint': checkpoints ? 'before each trial' : 'not permitted to this user',
      'fair_bench.pooling': capabilities.pooling,
      ...(provider === 'url' ? { 'fair_bench.loading': describeLoading(loading) } : {}),
    },
    storage: async (dataDirectory, tablespaces) => {
      const visible = provider !== 'url' || isLoopback(url) ? dataDirectory : null;
      const log = visible === null ? [] : [{ holds: logPart, path: join(visible, 'pg_wal') }];
      const others = tablespaces.map((one) => ({ holds: `tablespace ${one.name}`, path: one.path }));
      return await storageOf(visible, [...log, ...others]);
    },
    async prepare(signal) {
      if (checkpoints) await control.use(signal, async (client) => await client.query('CHECKPOINT'));
    },
    counters: async (sessions, signal) =>
      await control.use(signal, async (client) => await readCounters(client, sessions, signal)),
    background: async (signal) => await control.use(signal, readBackground),
    async check(signal) {
      try {
        await withClient(config, signal, async (client) => await client.query('SELECT 1'));
      } catch (cause) {
        throw new Error(`${target}: PostgreSQL at ${redactUrl(url)} does not answer: ${messageOf(cause)}`, {
          cause,
        });
      }
    },
    async close() {
      try {
        const within = AbortSignal.timeout(10_000);
        await control.use(within, async (client) => await dropSchema(sqlOf(client), dialect));
      } finally {
        control.close();
      }
    },
  };
}

/** Our schema with the workload's tables and operations. */
async function makeSchema(
  {
    control,
    config,
    sqlBinding,
    provider,
  }: Pick<PostgresServer, 'control' | 'sqlBinding' | 'provider'> & { readonly config: ClientConfig },
  { setup: path, workload, batchMax }: TargetOptions,
  signal: AbortSignal,
): Promise<
  Pick<PostgresServer, 'own' | 'loading'> & {
    /** Whether its user may checkpoint. */
    readonly checkpoints: boolean;
  }
> {
  const shapes = workload?.shape.tables ?? [];
  const setup = path === null ? null : readSetup(path, setupDialect());
  return await control.use(signal, async (client) => {
    await createSchema(sqlOf(client), dialect);
    const isTheirs = provider === 'url';
    const own =
      setup === null
        ? null
        : await makeOwnTables(config, setup, { tables: shapes, isTheirs }, signal).catch(
            async (error: unknown) => {
              await dropSchema(sqlOf(client), dialect);
              throw error;
            },
          );
    if (own === null) await createTables(sqlOf(client), shapes, dialect);
    if (workload !== null && sqlBinding !== null)
      await installBinding(client, sqlBinding, {
        workload: workload.shape,
        hasBatches: batchMax > 1,
        kept: own?.routines ?? [],
      });
    await own?.constraints.lift(client);
    return {
      own,
      checkpoints: await mayCheckpoint(client),
      loading: isTheirs ? await detectLoading(client, shapes[0]) : wholeLoading,
    };
  });
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(localhost|127\..*|\[::1\]|)$/.test(new URL(url).hostname);
}
