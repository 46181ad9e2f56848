import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ProvisionContext, SupervisedProcess, TargetOptions, UserIds } from '@fair-bench/contract';
import { embeddedBinaries, reachableBinaries } from './binaries.ts';
import { reasonOf, withClient } from './connection.ts';

/** A server that runs, made by us for one run. */
export interface EmbeddedServer {
  readonly url: string;
  readonly process: SupervisedProcess;
  readonly dataDirectory: string;
  /** Ends it and removes its directory and its shared memory. */
  close(): Promise<void>;
}

const owner = 'fair_bench';
const initdbTimeoutMs = 60_000;
const freeTimeoutMs = 5_000;
const readyTimeoutMs = 30_000;
const stopTimeoutMs = 5_000;
/** For the pools of a dozen variants side by side; a connection that is not there costs nothing. */
const connectionsMin = 1_000;

/**
 * Makes a cluster in a fresh directory and starts it with the profile's settings. Errors name the target, the
 * step and its output.
 */
export async function startEmbeddedServer(
  context: ProvisionContext,
  profileSettings: Readonly<Record<string, string>>,
): Promise<EmbeddedServer> {
  const { supervisor, options, signal, target } = context;
  const user = await serverUser();
  const directory = await supervisor.directory('postgres', user ?? undefined);
  const dataDirectory = join(directory, 'data');
  const binDirectory = await reachableBinaries(embeddedBinaries().nativeDirectory, directory, user);
  const password = randomBytes(24).toString('hex');
  const run: Run = { user, signal, directory, target };
  await initialize(run, join(binDirectory, 'initdb'), dataDirectory, password);
  const port = await supervisor.freePort();
  const url = `postgres://${owner}:${password}@127.0.0.1:${port}/postgres`;
  const server = await supervisor.start({
    name: 'postgres',
    command: join(binDirectory, 'postgres'),
    arguments: ['-D', dataDirectory, ...serverSettings(port, options, profileSettings)],
    workingDirectory: directory,
    environment: { TZ: 'UTC', LC_ALL: 'C', PGDATA: dataDirectory },
    ...(user === null ? {} : { user }),
    // The immediate shutdown, which flushes nothing but frees its shared memory: the cluster is thrown away.
    stopSignal: 'SIGQUIT',
    stopTimeoutMs,
    ready: { timeoutMs: readyTimeoutMs, check: async () => await answers(url, signal) },
  });
  return {
    url,
    process: server,
    dataDirectory,
    async close() {
      await server.stop();
      await freeSharedMemory(run, join(binDirectory, 'postgres'), dataDirectory);
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * The user that a server is run as: null for the present one, or where that is root, which PostgreSQL
 * refuses, `postgres` if there is such a user and else `nobody`. No user is made.
 */
export async function serverUser(): Promise<UserIds | null> {
  if (process.getuid?.() !== 0) return null;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((fields) => fields[0] === name) ?? [];
    if (uid !== undefined && gid !== undefined && uid !== '0') return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user postgres nor nobody; run as another user',
  );
}

interface Run {
  readonly user: UserIds | null;
  readonly signal: AbortSignal;
  readonly directory: string;
  readonly target: string;
}

/** What durability rests on, said aloud, in the cluster's file: there it can be altered live. */
const durabilitySettings = ['fsync', 'full_page_writes', 'synchronous_commit'].map(
  (name) => `--set=${name}=on`,
);

/** Default settings otherwise, but for what the profile asks. */
function serverSettings(
  port: number,
  options: TargetOptions,
  profileSettings: Readonly<Record<string, string>>,
): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Every session twice, for a trial that begins while the last one's sessions end; a pool for each of a few routes.
    max_connections: Math.max(connectionsMin, options.sessionsMax * 2 + options.poolSize * 4 + 50),
    ...profileSettings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function initialize(run: Run, initdb: string, dataDirectory: string, password: string): Promise<void> {
  const passwordFile = join(run.directory, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (run.user !== null) await chown(passwordFile, run.user.uid, run.user.gid);
  try {
    await execute(run, initdb, initdbTimeoutMs, [
      `--pgdata=${dataDirectory}`,
      `--username=${owner}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
      '--no-instructions',
      ...durabilitySettings,
    ]);
  } catch (cause) {
    throw new Error(`${run.target}: initdb failed in ${dataDirectory}: ${outputOf(cause)}`, { cause });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * A server that was killed leaves its shared memory behind (System V and POSIX). A start finds it by the data
 * directory and removes it; a start in single-user mode without input ends at once.
 */
async function freeSharedMemory(run: Run, postgres: string, dataDirectory: string): Promise<void> {
  const lockFile = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const unhurried = { ...run, signal: AbortSignal.timeout(freeTimeoutMs) };
  for (;;) {
    await rm(lockFile, { force: true });
    try {
      const alone = ['--single', '-F', '-D', dataDirectory, 'template1'];
      await execute(unhurried, postgres, freeTimeoutMs, alone);
      return;
    } catch (cause) {
      if (unhurried.signal.aborted) {
        throw new Error(
          `${run.target}: the shared memory of its killed PostgreSQL is left: ${outputOf(cause)}; see ipcs -m and /dev/shm`,
          { cause },
        );
      }
      // The killed server's sessions may still be attached; they end as soon as they notice.
      await sleep(100);
    }
  }
}

async function execute(run: Run, command: string, timeout: number, args: readonly string[]): Promise<void> {
  const child = promisify(execFile)(command, args, {
    cwd: run.directory,
    timeout,
    signal: run.signal,
    ...run.user,
  });
  child.child.stdin?.end();
  await child;
}

function outputOf(error: unknown): string {
  const stderr =
    error instanceof Error && 'stderr' in error && typeof error.stderr === 'string'
      ? error.stderr.trim()
      : '';
  return stderr === '' ? reasonOf(error) : stderr;
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    await withClient({ connectionString: url }, signal, async (client) => await client.query('SELECT 1'));
    return true;
  } catch {
    // It does not listen yet, or is starting up; the supervisor bounds how often this is asked.
    return false;
  }
}
