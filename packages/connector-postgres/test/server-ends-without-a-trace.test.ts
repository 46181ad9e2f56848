import { inTestAll } from '@fair-bench/contract/test-support';
import { existsSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { applied } from '@fair-bench/contract';
import { embeddedBinaries, reachableBinaries } from '../src/binaries.ts';
import { PooledBackend } from '@fair-bench/rpc/server';
import { stockDatabase } from '../src/pooled.ts';
import { factsFromSettings } from '../src/settings.ts';
import { serverUser } from '@fair-bench/supervisor';
import { serverUsers } from '../src/embedded-server.ts';
import { moving, nameOf, seedBoxes, soon, startServer, type TestServer } from './support/provision.ts';

const onLinux = process.platform === 'linux';
const notLinux = 'reads /proc, which only Linux has';

interface Traces {
  readonly pid: number;
  readonly directory: string;
}

async function tracesOf(server: TestServer): Promise<Traces> {
  const [database] = server.service.processes;
  if (database === undefined) throw new Error('the service has no process');
  const open = await server.session();
  const { dataDirectory } = factsFromSettings(await (await open.connection()).settings());
  await open.close();
  if (dataDirectory === null) throw new Error('the service has no data directory');
  return { pid: database.pid, directory: dirname(dataDirectory) };
}

/** The server's shared memory, by its lock file and its memory map: `System V 4`, `/dev/shm/PostgreSQL.1`. */
async function sharedMemoryOf({ pid, directory }: Traces): Promise<string[]> {
  const lockFile = (await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
  const systemV = `System V ${lockFile[6]?.trim().split(/\s+/)[1]}`;
  return [systemV, ...new Set(maps.match(/\/dev\/shm\/PostgreSQL\.\d+/g))];
}

async function present(segments: readonly string[]): Promise<string[]> {
  const lines = (await readFile('/proc/sysvipc/shm', 'utf8')).trim().split('\n').slice(1);
  const systemV = lines.map((line) => `System V ${line.trim().split(/\s+/)[1]}`);
  return segments.filter((segment) => systemV.includes(segment) || existsSync(segment));
}

/** Command lines of present processes that name the directory. */
async function processesOf({ directory }: Traces): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const commandLines = await Promise.all(
    pids.map(async (pid) => await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return commandLines.filter((commandLine) => commandLine.includes(directory));
}

const endings: [string, (server: TestServer, traces: Traces) => Promise<void>][] = [
  ['in good order', async () => await Promise.resolve()],
  [
    'after its postmaster was killed',
    async ({ service }, { pid }) => {
      process.kill(pid, 'SIGKILL');
      await expect(service.check(soon(5_000))).rejects.toThrow(/^postgres-test: /);
    },
  ],
];
for (const [how, before] of endings) {
  test(`nothing remains of a server that is closed ${how}`, async (context) => {
    if (!onLinux) context.skip(notLinux);
    const server = await startServer();
    let traces: Traces | undefined;
    let segments: string[] = [];
    try {
      traces = await tracesOf(server);
      segments = await sharedMemoryOf(traces);
      expect(await present(segments)).toEqual(segments);
      expect(segments.length).toBeGreaterThan(1);
      expect(await processesOf(traces)).not.toEqual([]);
      await before(server, traces);
    } finally {
      await server.close();
    }
    expect(existsSync(traces.directory)).toBe(false);
    expect(await processesOf(traces)).toEqual([]);
    expect(await present(segments)).toEqual([]);
  });
}

test('when the postmaster is killed, sessions fault in bounded time and the check names the end', async () => {
  const server = await startServer();
  try {
    const { service } = server;
    await seedBoxes(service, 100, 1_000n);
    const session = await server.session();
    const { pid } = await tracesOf(server);
    expect(nameOf(await session.execute(...moving(1, 2, 1n)))).toBe('applied');
    process.kill(pid, 'SIGKILL');
    const names = new Set<string>();
    const deadline = Date.now() + 10_000;
    while (!names.has('connection-refused') && Date.now() < deadline) {
      names.add(nameOf(await session.execute(...moving(1, 2, 1n))));
    }
    // It may still have answered a few, and the one outstanding at its end is in doubt.
    expect(
      [...names].filter((name) => !['applied', 'connection-lost?', 'connection-refused'].includes(name)),
    ).toEqual([]);
    expect(names).toContain('connection-refused');
    await session.close();
    await expect(service.check(soon(5_000))).rejects.toThrow(
      'postgres-test: its PostgreSQL ended with signal SIGKILL',
    );
  } finally {
    await server.close();
  }
});

inTestAll(() => {
  test('a session whose backend is terminated faults in doubt, and its next call connects again', async () => {
    const server = await startServer();
    try {
      await seedBoxes(server.service, 100, 1_000n);
      const [session, other] = [await server.session('fair-bench victim'), await server.session()];
      const outcome = session.execute(...moving(1, 2, 1n));
      expect(nameOf(await outcome)).toBe('applied');
      await terminate(server, 'fair-bench victim');
      const next = nameOf(await session.execute(...moving(1, 2, 1n)));
      // Sent before the end was noticed, or after it.
      expect(['connection-lost?', 'applied']).toContain(next);
      expect(nameOf(await session.execute(...moving(1, 2, 1n)))).toBe('applied');
      await session.close();
      expect(nameOf(await session.execute(...moving(1, 2, 1n)))).toBe('connection-refused');
      await other.close();
    } finally {
      await server.close();
    }
  });
});

test('a pool whose connection breaks in an operation answers with doubt, and serves on', async () => {
  const server = await startServer();
  try {
    const database = stockDatabase(server.service.url, 'fair-bench victim', (client) => async (operation) => {
      const reply = client.query('SELECT 1');
      if (operation === 0) client.connection.stream.destroy();
      await reply;
      return applied;
    });
    const pool = await PooledBackend.open(database, 1);
    expect(nameOf(await pool.execute(0, []))).toBe('connection-lost?');
    expect(nameOf(await pool.execute(1, []))).toBe('applied');
    await pool.close();
  } finally {
    await server.close();
  }
});

async function terminate({ service }: TestServer, applicationName: string): Promise<void> {
  const client = new Client({ connectionString: service.url });
  await client.connect();
  const { rows } = await client.query(
    'SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity WHERE application_name = $1',
    [applicationName],
  );
  await client.end();
  expect(rows).toEqual([{ done: true }]);
}

test('as root the server runs as a user without privileges', async (context) => {
  if (!onLinux) context.skip(notLinux);
  const user = await serverUser('PostgreSQL', serverUsers);
  if (user === null) {
    context.skip('only root has to change to another user');
    return;
  }
  const server = await startServer();
  try {
    const { pid } = await tracesOf(server);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1)).toEqual([String(user.uid), String(user.uid)]);
    expect(/^Groups:(.*)$/m.exec(status)?.[1]?.trim()).toBe('');
  } finally {
    await server.close();
  }
});

test('binaries that the server user cannot reach are copied to where it can', async (context) => {
  const user = await serverUser('PostgreSQL', serverUsers);
  if (user === null) {
    context.skip('only root has to change to another user');
    return;
  }
  const { nativeDirectory } = embeddedBinaries();
  const root = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  try {
    await chmod(root, 0o755);
    const [closed, open] = [join(root, 'closed'), join(root, 'open')];
    await mkdir(closed, { mode: 0o700 });
    await mkdir(open, { mode: 0o755 });
    const unreachable = join(closed, 'native');
    await cp(nativeDirectory, unreachable, { recursive: true, verbatimSymlinks: true });
    const binDirectory = await reachableBinaries(unreachable, open, user);
    expect(dirname(dirname(binDirectory))).toBe(open);
    const { stdout } = await promisify(execFile)(join(binDirectory, 'postgres'), ['--version'], {
      ...user,
      cwd: '/',
    });
    expect(stdout).toMatch(/^postgres \(PostgreSQL\) 18\./);
  } finally {
    await rm(root, { recursive: true });
  }
});
