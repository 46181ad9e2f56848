import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSupervisor, serverUser } from '@fair-bench/supervisor';
import { serverUsers } from '../../src/embedded-server.ts';

/** PgBouncer's version as numbers, `[1, 18]`; null where it is not installed. */
export async function poolerVersion(): Promise<readonly [major: number, minor: number] | null> {
  try {
    const { stdout } = await promisify(execFile)('pgbouncer', ['--version'], { timeout: 10_000 });
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
    return major === undefined ? null : [Number(major), Number(minor)];
  } catch {
    return null;
  }
}

export interface Pooler {
  readonly url: string;
  close(): Promise<void>;
}

/** A real pooler in front of the server at `url`; in transaction mode it forgets prepared statements. */
export async function startPooler(
  url: string,
  {
    mode,
    poolSize,
    ignoresOptions = false,
  }: {
    readonly mode: 'transaction' | 'session';
    readonly poolSize: number;
    /** Drops what clients ask for when they connect, and says nothing. */
    readonly ignoresOptions?: boolean;
  },
): Promise<Pooler> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-pooler-'));
  const supervisor = createSupervisor({ logDirectory: directory });
  const user = await serverUser('PostgreSQL', serverUsers);
  const port = await supervisor.freePort();
  const { hostname, port: serverPort, username, password, pathname } = new URL(url);
  const [, minor] = (await poolerVersion()) ?? [0, 0];
  const file = join(directory, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `app = host=${hostname} port=${serverPort} user=${username} password=${password} dbname=${pathname.slice(1)}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    // The line above names the server's own user; everyone may connect.
    'auth_type = any',
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    ...(ignoresOptions ? ['ignore_startup_parameters = options'] : []),
    ...(minor >= 21 ? ['max_prepared_statements = 0'] : []),
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  if (user !== null) {
    await chown(directory, user.uid, user.gid);
    await chown(file, user.uid, user.gid);
  }
  await supervisor.start({
    name: 'pgbouncer',
    command: 'pgbouncer',
    arguments: [file],
    ...(user === null ? {} : { user }),
    environment: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    stopSignal: 'SIGQUIT',
    stopTimeoutMs: 2_000,
    ready: { timeoutMs: 10_000, check: async () => await listens(port) },
  });
  return {
    url: `postgres://anybody@127.0.0.1:${port}/app`,
    async close() {
      await supervisor.stopAll();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function listens(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
