import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProvisionContext, TargetOptions } from '@fair-bench/contract';
import { startServer, type RunningServer, type ServerPlace, writeCertificate } from '@fair-bench/supervisor';
import { embeddedBinaries, installedAt, reachableBinaries } from './binaries.ts';
import { withClient } from './connection.ts';
import { statementLogSettings } from './statement-log.ts';

/** A server started by us for one run; its end frees its shared memory too. */
export interface EmbeddedServer extends RunningServer {
  readonly url: string;
}

/** PostgreSQL refuses root. */
export const serverUsers = ['postgres'];

const owner = 'fair_bench';
const freeTimeoutMs = 5_000;
/** Enough for the pools of a dozen variants side by side; an unused connection costs nothing. */
const connectionsMin = 1_000;

/**
 * Creates a cluster in a new directory and starts it with the profile's settings, and a certificate where sessions may be encrypted. Errors name the target, the step
 * and its output.
 */
export async function startEmbeddedServer(
  context: ProvisionContext,
  profileSettings: Readonly<Record<string, string>>,
  hasTls: boolean,
): Promise<EmbeddedServer> {
  const password = randomBytes(24).toString('hex');
  const urlAt = (port: number): string => `postgres://${owner}:${password}@127.0.0.1:${port}/postgres`;
  const server = await startServer(context, {
    name: 'postgres',
    title: 'PostgreSQL',
    users: serverUsers,
    async launch(place) {
      const { directory, user, port } = place;
      const dataDirectory = join(directory, 'data');
      const { program } = context.options;
      const installed = program === null ? embeddedBinaries().nativeDirectory : installedAt(program);
      const bin = await reachableBinaries(installed, directory, user);
      await initialize(place, join(bin, 'initdb'), dataDirectory, password);
      const command = join(bin, 'postgres');
      const files = hasTls ? await writeCertificate(place) : null;
      const encrypted =
        files === null ? {} : { ssl: 'on', ssl_cert_file: files.certificate, ssl_key_file: files.key };
      const settings = { ...profileSettings, ...encrypted };
      return {
        command,
        arguments: ['-D', dataDirectory, ...serverSettings(port, context.options, settings)],
        environment: { TZ: 'UTC', LC_ALL: 'C', PGDATA: dataDirectory },
        clean: async () => await freeSharedMemory(context.target, place, command, dataDirectory),
      };
    },
    answers: async ({ port }, signal) =>
      await withClient({ connectionString: urlAt(port) }, signal, async (client) => {
        await client.query('SELECT 1');
      }),
    // The immediate shutdown, which flushes nothing but frees its shared memory: the cluster is deleted.
    stopSignal: 'SIGQUIT',
  });
  return { ...server, url: urlAt(server.place.port) };
}

/**
 * The settings of durability, written explicitly into the cluster's file, where they can be changed live. The
 * password is 24 random bytes: thousands of rounds of hashing for each session of a trial would not protect it
 * better.
 */
const clusterSettings = [
  ...['fsync', 'full_page_writes', 'synchronous_commit'].map((name) => `--set=${name}=on`),
  '--set=scram_iterations=1',
];

/** Default settings, except the profile's and those of the log. */
function serverSettings(
  port: number,
  options: TargetOptions,
  more: Readonly<Record<string, string>>,
): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Every session twice, for a trial that begins while the last one's sessions end; and a pool for each of a few
    // routes.
    max_connections: Math.max(connectionsMin, options.sessionsMax * 2 + options.poolSize * 4 + 50),
    ...statementLogSettings,
    ...more,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function initialize(
  { run, write }: ServerPlace,
  initdb: string,
  dataDirectory: string,
  password: string,
): Promise<void> {
  const passwordFile = await write('password', `${password}\n`);
  await run(initdb, [
    `--pgdata=${dataDirectory}`,
    `--username=${owner}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-locale',
    '--no-instructions',
    ...clusterSettings,
  ]);
  await rm(passwordFile);
}

/**
 * A killed server leaves its shared memory behind (System V and POSIX). A start finds it by the data directory and
 * removes it; a start in single-user mode with empty input ends at once.
 */
async function freeSharedMemory(
  target: string,
  { run }: ServerPlace,
  postgres: string,
  dataDirectory: string,
): Promise<void> {
  const lockFile = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const signal = AbortSignal.timeout(freeTimeoutMs);
  for (;;) {
    await rm(lockFile, { force: true });
    try {
      await run(postgres, ['--single', '-F', '-D', dataDirectory, 'template1'], { signal });
      return;
    } catch (cause) {
      if (signal.aborted) {
        const fact = 'the shared memory of its killed PostgreSQL remains; see ipcs -m and /dev/shm';
        throw new Error(`${target}: ${fact}`, { cause });
      }
      // The killed server's sessions may still be attached; they end as soon as they notice.
      await sleep(100);
    }
  }
}
