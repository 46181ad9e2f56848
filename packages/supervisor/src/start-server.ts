import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Facts,
  type ProcessRef,
  type ProvisionContext,
  type SharedService,
  type SupervisedProcess,
  type UserIds,
  messageOf,
} from '@fair-bench/contract';
import { EndedEarly } from './child.ts';
import { storageOf } from './file-system.ts';
import { runProgram, type ProgramRun } from './run-program.ts';
import { serverUser } from './server-user.ts';

/** A server's directory: created for it, and removed with it. */
export interface ServerPlace {
  /** On a disk, owned by the server's user. */
  readonly directory: string;
  /** Free on the loopback interface. */
  readonly port: number;
  /** Null for the user of this process. */
  readonly user: UserIds | null;
  /** Writes a file that only the server's user can read, for a password. Resolves with its path. */
  readonly write: (file: string, text: string) => Promise<string>;
  /** Runs a program there as that user, for at most a minute unless `timeoutMs` is set; see `runProgram`. */
  readonly run: (command: string, words: readonly string[], options?: RunOptions) => Promise<string>;
}

type RunOptions = Partial<Pick<ProgramRun, 'timeoutMs' | 'environment' | 'signal'>>;

export interface ServerSpecification {
  /** The system, as in the manifest: names the directory and the log. */
  readonly name: string;
  /** The name for people, in errors. */
  readonly title: string;
  /** For a server that refuses root: the users to run it as, the preferred one first; `nobody` is always tried last. */
  readonly users?: readonly string[];
  /** Prepares the directory (initdb or similar), and says how the server is started there. */
  launch(place: ServerPlace): Launch | Promise<Launch>;
  /** Rejects, or resolves false, while the server is not ready. Also run later by `check`. */
  answers(place: ServerPlace, signal: AbortSignal): Promise<unknown>;
  /** The signal that ends it, SIGTERM by default. It need not save its data, which are deleted. */
  readonly stopSignal?: 'SIGTERM' | 'SIGINT' | 'SIGQUIT';
  readonly readyTimeoutMs?: number;
}

export interface Launch {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Removes what the server leaves outside of its directory; called between its end and the removal of the directory. */
  readonly clean?: () => Promise<void>;
}

/** A running server of ours. */
export interface RunningServer extends SharedService {
  readonly place: ServerPlace;
  readonly process: SupervisedProcess;
  /** For `Deployment.processes`. */
  readonly processes: readonly ProcessRef[];
  /** For `Facts.storage`. */
  readonly storage: Facts['storage'];
}

const readyMsMax = 30_000;
const stopMsMax = 5_000;
const runMsMax = 60_000;
const answerMsMax = 5_000;
/** How often a server is started, each time on another port. */
const startsMax = 3;
/** How long the end of a process may be noticed later than the end of its connections. */
const endNoticedMs = 1_000;

/**
 * Starts a database server with a new directory and a free port; resolves when it answers. One that ends before is
 * started again with another directory and port: another process may have taken its port between our choice and its
 * bind, and each system says so in words of its own. Once it has ended, `check` rejects with the reason; `close` ends it and removes its directory. Targets share one server by
 * `context.shared(KEY, () => startServer(context, …))`. Rejects with the target, the step and its output.
 */
export async function startServer(
  context: ProvisionContext,
  specification: ServerSpecification,
): Promise<RunningServer> {
  for (let start = 1; ; start += 1) {
    const place = await makePlace(context, specification);
    try {
      return await startAt(place, context, specification);
    } catch (error) {
      if (start === startsMax || context.signal.aborted || !(error instanceof EndedEarly)) throw error;
      await rm(place.directory, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

async function startAt(
  place: ServerPlace,
  { target, signal: started, supervisor }: ProvisionContext,
  specification: ServerSpecification,
): Promise<RunningServer> {
  const { name, title } = specification;
  const { clean, ...command } = await launched(target, specification, place);
  const server = await supervisor.start({
    name,
    ...command,
    workingDirectory: place.directory,
    ...(place.user === null ? {} : { user: place.user }),
    stopSignal: specification.stopSignal ?? 'SIGTERM',
    stopTimeoutMs: stopMsMax,
    ready: {
      timeoutMs: specification.readyTimeoutMs ?? readyMsMax,
      check: async () => await answersYet(specification, place, started),
    },
  });
  return {
    place,
    process: server,
    processes: [{ role: 'database', pid: server.pid }],
    storage: await storageOf(place.directory),
    async check(signal) {
      try {
        if ((await specification.answers(place, signal)) === false) throw new Error('it does not answer');
      } catch (cause) {
        // A refused connection may be noticed before the end of its process.
        const ending = await Promise.race([server.ended, sleep(endNoticedMs, null)]);
        const fact = ending === null ? `does not answer (${messageOf(cause)})` : `ended with ${ending}`;
        throw new Error(`${target}: its ${title} ${fact}; see ${server.logPath}`, { cause });
      }
    },
    async close() {
      await server.stop();
      await clean?.();
      await rm(place.directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function makePlace(
  { supervisor, signal }: ProvisionContext,
  { name, title, users }: ServerSpecification,
): Promise<ServerPlace> {
  const user = users === undefined ? null : await serverUser(title, users);
  const directory = await supervisor.directory(name, user ?? undefined);
  return {
    directory,
    port: await supervisor.freePort(),
    user,
    async write(file, text) {
      const path = join(directory, file);
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      if (user !== null) await chown(path, user.uid, user.gid);
      return path;
    },
    run: async (command, words, options) =>
      await runProgram({
        command,
        arguments: words,
        directory,
        user,
        signal,
        timeoutMs: runMsMax,
        ...options,
      }),
  };
}

async function launched(
  target: string,
  specification: ServerSpecification,
  place: ServerPlace,
): Promise<Launch> {
  try {
    return await specification.launch(place);
  } catch (cause) {
    throw new Error(`${target}: ${specification.title} cannot be started: ${messageOf(cause)}`, { cause });
  }
}

async function answersYet(
  specification: ServerSpecification,
  place: ServerPlace,
  started: AbortSignal,
): Promise<boolean> {
  try {
    const bounded = AbortSignal.any([started, AbortSignal.timeout(answerMsMax)]);
    return (await specification.answers(place, bounded)) !== false;
  } catch {
    // It does not listen yet; the supervisor limits how often this runs, and notices its end.
    return false;
  }
}
