import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KillableServer } from '@fair-bench/conformance';
import type { TargetOptions, TargetWorkload } from '@fair-bench/contract';
import { createSupervisor, serverUser } from '@fair-bench/supervisor';
import { withClient } from '../../src/connection.ts';
import { serverUsers } from '../../src/embedded-server.ts';
import { readSqlBinding, type Statements } from '../../src/statements.ts';
import { startServer } from './provision.ts';

const stepTimeoutMs = 20_000;

export interface KillableSetting {
  readonly durability: TargetOptions['durability'];
  readonly workload: TargetWorkload;
}

/**
 * Gives `use` a real PostgreSQL of its own, and removes it and its data afterwards. It is started again by the
 * program and the arguments that it was started by. Reads /proc, so on Linux alone.
 */
export async function withKillableServer<Result>(
  { durability, workload }: KillableSetting,
  use: (server: KillableServer) => Promise<Result>,
): Promise<Result> {
  const logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-kill-'));
  const supervisor = createSupervisor({ logDirectory });
  const server = await startServer({ durability, workload });
  const { service } = server;
  try {
    const [postmaster] = service.processes;
    if (postmaster === undefined) throw new Error('the service has no process');
    const [command, ...words] = await commandOf(postmaster.pid);
    const user = await serverUser('PostgreSQL', serverUsers);
    return await use({
      deployment: {
        endpoint: {
          url: service.url,
          options: { applicationName: 'fair-bench test', statements: statementsOf(workload) },
        },
        tables: service.tables,
      },
      kill: async () => await killAll(postmaster.pid),
      restart: async () =>
        void (await supervisor.start({
          name: 'postgres-again',
          command,
          arguments: words,
          workingDirectory: '/',
          environment: { TZ: 'UTC', LC_ALL: 'C' },
          ...(user === null ? {} : { user }),
          stopSignal: 'SIGQUIT',
          stopTimeoutMs: stepTimeoutMs,
          ready: { timeoutMs: stepTimeoutMs, check: async () => await answers(service.url) },
        })),
    });
  } finally {
    await supervisor.stopAll();
    await server.close();
    await rm(logDirectory, { recursive: true });
  }
}

async function commandOf(pid: number): Promise<[string, ...string[]]> {
  const [, ...words] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
  return [await readlink(`/proc/${pid}/exe`), ...words];
}

/**
 * The postmaster is stopped first, so that it starts nobody and tells nobody to end in good order. No await
 * between the signals: what the WAL writer has not written when the first of them falls is not to be written.
 */
async function killAll(postmaster: number): Promise<void> {
  process.kill(postmaster, 'SIGSTOP');
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  const pids = [...children.trim().split(' ').map(Number), postmaster];
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + stepTimeoutMs;
  while (pids.some(isAlive)) {
    if (Date.now() > deadline) throw new Error(`of ${pids.join(', ')} some outlive SIGKILL`);
    await sleep(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    // After the name in parentheses; a zombie holds nothing any more.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It is gone.
    return false;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(stepTimeoutMs);
    await withClient({ connectionString: url }, signal, async (client) => await client.query('SELECT 1'));
    return true;
  } catch {
    // It recovers, or does not listen yet; the supervisor bounds how often this is asked.
    return false;
  }
}

function statementsOf({ folder }: TargetWorkload): Statements {
  return readSqlBinding(join(folder, 'postgres.sql')).statements;
}
