import { randomBytes } from 'node:crypto';
import {
  type Availability,
  type Facts,
  noPooler,
  type ProcessRef,
  type ProvisionContext,
  type SharedService,
  type TargetOptions,
  messageOf,
} from '@fair-bench/contract';
import {
  findProgram,
  portsTo,
  programVersion,
  type RunningServer,
  startServer,
} from '@fair-bench/supervisor';
import { withClient } from '../connection.ts';
import { requestedSettings, withOptions } from '../session-url.ts';
import { PoolerConsole } from './console.ts';
import { isSince, pgbouncer } from './pgbouncer.ts';
import { pgdog } from './pgdog.ts';
import type { PoolerSystem, ServerAccess } from './pooler-system.ts';

/** The requested pooler's name among a target's settings. */
export const poolerSetting = 'fair_bench.pooler';
export const poolers: readonly PoolerSystem[] = [pgbouncer, pgdog];

/** A pooler between the sessions of one target and its server. */
export interface Pooler extends SharedService {
  /** For the sessions: their name, and the settings that they request. */
  readonly url: string;
  /** Of the sessions, in `pg_stat_activity`. */
  readonly sessionsName: string;
  readonly processes: readonly ProcessRef[];
  /** As its console says it now. */
  facts(
    signal: AbortSignal,
  ): Promise<{ readonly pooler: NonNullable<Facts['pooler']>; readonly settings: Facts['settings'] }>;
  /** Ends its connections to the database, which then report what they did. */
  endConnections(signal: AbortSignal): Promise<{
    readonly backends: readonly number[];
    /** Transactions that it passed on since it was started. */
    readonly transactions: number;
  }>;
  /** The ports from which it is connected to the database; null where the system does not show them. */
  ports(): Promise<ReadonlySet<number> | null>;
}

/** Why the pooler of a target is unavailable here; null where it is available, or where the target has none. */
export async function missingPooler(
  options: TargetOptions,
  needsPrepared: boolean,
): Promise<Extract<Availability, { available: false }> | null> {
  if (options.pooler === noPooler) return null;
  const { system, program, version } = await programOf(options.pooler);
  const { title, remedy, preparedSince, hasWorkers } = system;
  if (program === null)
    return { available: false, reason: `no program of ${title} was found on this machine`, remedy };
  if (needsPrepared && preparedSince !== null && !isSince(version, preparedSince)) {
    const since = preparedSince.join('.');
    return {
      available: false,
      reason: `${title} ${version ?? 'of an unknown version'} loses prepared statements between transactions, and this route prepares its statements by name`,
      remedy: `install ${title} ${since} or later, or take postgres-driver[protocol=extended]`,
    };
  }
  if (options.poolerWorkers !== null && !hasWorkers)
    return { available: false, reason: `${title} has one thread`, remedy: 'leave poolerWorkers out' };
  if (options.url !== undefined && new URL(options.url).search !== '') {
    return {
      available: false,
      reason: `${title} is started with the address and the user of a URL only, and this one has parameters`,
      remedy: 'leave them out, or give the URL of a pooler of your own without pooler=',
    };
  }
  return null;
}

async function programOf(
  name: string,
): Promise<{ system: PoolerSystem; program: string | null; version: string | null }> {
  const system = poolers.find((one) => one.name === name);
  if (system === undefined)
    throw new Error(`there is no pooler ${name}; there is ${poolers.map((one) => one.name).join(', ')}`);
  const program = await findProgram({ system: name, names: [name] });
  // A build outside of a release prints no version; its console says it.
  const version = program === null ? null : await programVersion(program).catch(() => null);
  return { system, program, version };
}

/** The pooler of a target, started for it alone; null without one. Rejects with target, fact and remedy. */
export async function startPooler(context: ProvisionContext, serverUrl: string): Promise<Pooler | null> {
  const { options, target } = context;
  if (options.pooler === noPooler) return null;
  return await context.shared(
    `pooler of ${target}`,
    async () => await start(context, accessOf(new URL(serverUrl))),
  );
}

/** The name of a target's sessions in `pg_stat_activity`, where each target has its own. */
export function nameOfSessions(target: string): string {
  return `fair-bench ${target}`;
}

const database = 'fair_bench';
/** An unused place for a client costs nothing. */
const clientsMin = 10_100;
/** Connections of clients besides the sessions: those that read facts, the console, and sessions that are ending. */
const othersMax = 100;

function accessOf({ hostname, port, pathname, username, password }: URL): ServerAccess {
  return {
    host: hostname,
    port: port === '' ? 5432 : Number(port),
    database: decodeURIComponent(pathname.slice(1)),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

async function start(context: ProvisionContext, server: ServerAccess): Promise<Pooler> {
  const { options, target } = context;
  const { system, program, version } = await programOf(options.pooler);
  if (program === null)
    throw new Error(`${target}: no program of ${system.title} was found; ${system.remedy}`);
  const access = { database, user: 'fair_bench', password: randomBytes(24).toString('hex') };
  const sessionSettings = requestedSettings(options);
  const urlOf = (port: number, name: string): string =>
    `postgres://${access.user}:${access.password}@127.0.0.1:${port}/${name}`;
  const running = await startServer(context, {
    name: system.name,
    title: system.title,
    ...(system.users === undefined ? {} : { users: system.users }),
    // At once: on others some versions wait for their clients, and there is nothing to save.
    stopSignal: 'SIGQUIT',
    launch: async (place) =>
      await system.launch(program, place, {
        ...access,
        server,
        version,
        poolSize: options.poolerPool,
        // An application server's connections are its clients, otherwise the sessions are, the next trial's beside the last one's.
        clientsMax: Math.max(clientsMin, 2 * options.sessionsMax + 4 * options.poolSize + othersMax),
        workers: options.poolerWorkers,
        sessionSettings: system.takesOptions ? {} : sessionSettings,
      }),
    answers: async ({ port }, signal) =>
      await withClient({ connectionString: urlOf(port, database) }, signal, async (client) => {
        await client.query('SELECT 1');
      }),
  });
  const { port } = running.place;
  const sessions = `${urlOf(port, database)}?application_name=${encodeURIComponent(nameOfSessions(target))}`;
  const url = system.takesOptions ? withOptions(sessions, sessionSettings, (value) => value) : sessions;
  return poolerOn(running, system, {
    url,
    sessionsName: nameOfSessions(target),
    console: new PoolerConsole(urlOf(port, system.console), database),
    serverPort: server.port,
  });
}

type PooledSessions = Pick<Pooler, 'url' | 'sessionsName'>;

function poolerOn(
  server: RunningServer,
  { name, title, profile }: PoolerSystem,
  { url, sessionsName, console, serverPort }: PooledSessions & { console: PoolerConsole; serverPort: number },
): Pooler {
  const { pid, logPath } = server.process;
  let forgotten = 0;
  return {
    url,
    sessionsName,
    processes: [{ role: 'pooler', pid }],
    check: async (signal) => await server.check(signal),
    close: async () => await server.close(),
    async facts(signal) {
      try {
        const { answers, version, config } = await console.self(signal);
        const named = profile.map(({ setting }) => [`${name}.${setting}`, config[setting] ?? ''] as const);
        return {
          pooler: { requested: name, answers, version, poolSize: Number(config['default_pool_size']) },
          settings: Object.fromEntries([[poolerSetting, name], ...named.filter(([, value]) => value !== '')]),
        };
      } catch (cause) {
        throw new Error(`${title}: its console does not answer: ${messageOf(cause)}; see ${logPath}`, {
          cause,
        });
      }
    },
    async endConnections(signal) {
      const { backends, transactions, transactionsAfter } = await console.endConnections(signal);
      const all = forgotten + transactions;
      forgotten = all - transactionsAfter;
      return { backends, transactions: all };
    },
    ports: async () => await portsTo(pid, serverPort),
  };
}
