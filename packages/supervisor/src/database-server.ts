import {
  type Availability,
  type Facts,
  type ProcessRef,
  type ProvisionContext,
  type SharedService,
  type TargetOptions,
  messageOf,
} from '@fair-bench/contract';
import { storageOf } from './file-system.ts';
import { findProgram, programVersion, UnreadVersion } from './find-program.ts';
import { redactUrl } from './redact-url.ts';
import { type Launch, type ServerPlace, startServer } from './start-server.ts';

/** What a connector says about a database server, so that the user's is reached by its URL or ours is started. */
export interface DatabaseSystem {
  /** As in the manifest. */
  readonly name: string;
  /** The name for people, in errors. */
  readonly title: string;
  /** How to get one, for an error: `install MariaDB, or name a server by --url mariadb=…`. */
  readonly remedy: string;
  /** The first major version that is accepted. */
  readonly majorMin?: number;
  /** The name of the system whose version this is, where it is another's that has the same protocol or program; else null. */
  readonly otherSystem?: (version: string) => string | null;
  /** The version of the server at a URL. Rejects when it does not answer, or belongs to another system. */
  version(url: string, signal: AbortSignal): Promise<string>;
  /** How to start one on this machine; absent for a system that is only reached by URL. */
  readonly local?: {
    /** Names of the server's program, the preferred one first; see `findProgram`. */
    readonly programs: readonly string[];
    /** The URL of a server started at this port with these settings, with the credentials from `launch`. */
    readonly url: (port: number, settings: LaunchSettings) => string;
    /** The requested settings with which a server is started, as texts. Targets share a server only where they are equal. */
    readonly settings?: (options: TargetOptions) => LaunchSettings;
    /**
     * Prepares the directory (initdb or similar), and says how `program` is started there with these settings; it knows
     * no others. A kill test starts the same command again in the same directory and on the same port, without this.
     */
    readonly launch: (
      program: string,
      place: ServerPlace,
      settings: LaunchSettings,
    ) => Omit<Launch, 'command'> | Promise<Omit<Launch, 'command'>>;
    /** For a server that refuses root: the users to run it as; `nobody` is always tried last. */
    readonly users?: readonly string[];
    /** SIGTERM unless said otherwise. */
    readonly stopSignal?: 'SIGTERM' | 'SIGINT' | 'SIGQUIT';
  };
}

type LaunchSettings = Readonly<Record<string, string>>;

/** A running database server: the user's, or ours. */
export interface DatabaseServer extends SharedService {
  /** With its password, for connections; never shown. */
  readonly url: string;
  readonly provider: 'url' | 'binary';
  /** The server, when it is ours. */
  readonly processes: readonly ProcessRef[];
  /** Its directory; unknown for the user's. */
  readonly storage: Facts['storage'];
}

const probeMsMax = 5_000;

/** The probe of a route: the user's server must answer, otherwise its program must run. Starts nothing. */
export async function probeServer(
  system: DatabaseSystem,
  { url, program: path }: TargetOptions,
): Promise<Availability> {
  try {
    if (url !== undefined) {
      const version = await acceptedVersion(system, url, AbortSignal.timeout(probeMsMax));
      return { available: true, provider: 'url', version };
    }
    const program = await localProgram(system, path);
    return { available: true, provider: 'binary', version: program.version };
  } catch (error) {
    if (!(error instanceof UnreadVersion))
      return { available: false, reason: messageOf(error), remedy: system.remedy };
    const remedy = `correct local.programs of the connector, or report the text, so that ${system.title}'s version is read from it`;
    return { available: false, reason: messageOf(error), remedy, isFound: true };
  }
}

/**
 * The user's server at `options.url`, or one of ours, started once for all targets of the system. Rejects with the
 * target, the fact and the remedy; a URL is shown without its password.
 */
export async function provideServer(
  system: DatabaseSystem,
  context: ProvisionContext,
): Promise<DatabaseServer> {
  const { url, program, setup } = context.options;
  if (url !== undefined) {
    return await context.shared(`${system.name} ${url}`, async () => await reach(system, context, url));
  }
  const settings = system.local?.settings?.(context.options) ?? {};
  return await context.shared(
    // The tables of another file would be in the same schema.
    `${system.name} ${program ?? 'local'} ${setup ?? ''} ${JSON.stringify(settings)}`,
    async () => await startLocal(system, context, settings),
  );
}

async function reach(
  system: DatabaseSystem,
  context: ProvisionContext,
  url: string,
): Promise<DatabaseServer> {
  await orWayOut(system, context, acceptedVersion(system, url, context.signal));
  return {
    url,
    provider: 'url',
    processes: [],
    storage: await storageOf(null),
    check: async (bound) => void (await acceptedVersion(system, url, bound)),
    close: () => Promise.resolve(),
  };
}

async function startLocal(
  system: DatabaseSystem,
  context: ProvisionContext,
  settings: LaunchSettings,
): Promise<DatabaseServer> {
  const { path, local } = await orWayOut(system, context, localProgram(system, context.options.program));
  const server = await startServer(context, {
    name: system.name,
    title: system.title,
    ...(local.users === undefined ? {} : { users: local.users }),
    ...(local.stopSignal === undefined ? {} : { stopSignal: local.stopSignal }),
    launch: async (place) => ({ command: path, ...(await local.launch(path, place, settings)) }),
    answers: async ({ port }, signal) => void (await system.version(local.url(port, settings), signal)),
  });
  return { ...server, url: local.url(server.place.port, settings), provider: 'binary' };
}

/** Rejects with the target, the fact and the remedy. */
async function orWayOut<Result>(
  { remedy }: DatabaseSystem,
  { target }: ProvisionContext,
  attempt: Promise<Result>,
): Promise<Result> {
  try {
    return await attempt;
  } catch (cause) {
    throw new Error(`${target}: ${messageOf(cause)}; ${remedy}`, { cause });
  }
}

async function localProgram(
  system: DatabaseSystem,
  named: string | null,
): Promise<{ path: string; version: string; local: NonNullable<DatabaseSystem['local']> }> {
  const { local, title } = system;
  if (local === undefined) throw new Error(`${title} is only reached by its URL`);
  const { name, otherSystem } = system;
  // A link of the same name may lead to another system's program.
  const isOwn = async (found: string): Promise<boolean> =>
    otherSystem?.(await programVersion(found)) === null;
  const search = { system: name, names: local.programs, path: named };
  const path = await findProgram(otherSystem === undefined ? search : { ...search, isOwn });
  if (path === null) throw new Error(`no ${title} server was found on this machine`);
  const version = await programVersion(path);
  requireOwn(system, version, path);
  return { path, version, local };
}

async function acceptedVersion(system: DatabaseSystem, url: string, signal: AbortSignal): Promise<string> {
  const shown = redactUrl(url);
  let version: string;
  try {
    version = await system.version(url, signal);
  } catch (cause) {
    throw new Error(`${system.title} at ${shown} does not answer: ${messageOf(cause)}`, { cause });
  }
  requireOwn(system, version, shown);
  return version;
}

function requireOwn(
  { title, majorMin = 0, otherSystem }: DatabaseSystem,
  version: string,
  where: string,
): void {
  const other = otherSystem?.(version) ?? null;
  if (other !== null) throw new Error(`${where} is ${other} (${version}), not ${title}`);
  if (Number.parseInt(version, 10) >= majorMin) return;
  throw new Error(`${title} ${version} at ${where} is too old; ${majorMin}.0 or later is needed`);
}
