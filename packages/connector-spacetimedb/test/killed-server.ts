import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KillableServer } from '@fair-bench/conformance';
import type { TargetWorkload } from '@fair-bench/contract';
import { findProgram, freePort } from '@fair-bench/supervisor';
import { createDatabase } from '../src/database.ts';
import { httpApi } from '../src/http-api.ts';
import { spacetimedb } from '../src/server.ts';
import { databaseTables } from '../src/tables.ts';

const readyTimeoutMs = 20_000;

export interface KillableSetting {
  readonly confirmedReads: boolean;
  readonly workload: TargetWorkload;
}

/** Gives `use` a real server of its own with the workload's module, and removes it and its data afterwards. */
export async function withKillableServer<Result>(
  { confirmedReads, workload }: KillableSetting,
  use: (server: KillableServer) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-kill-'));
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  let server = await startServer(directory, address);
  try {
    const database = await createDatabase(
      httpApi(url),
      join(workload.folder, 'spacetimedb', 'module.wasm'),
      AbortSignal.timeout(readyTimeoutMs),
    );
    const options = { database: database.name, confirmedReads };
    return await use({
      deployment: {
        endpoint: { url, options },
        tables: databaseTables(database, workload.shape),
      },
      kill: async () => await kill(server),
      restart: async () => void (server = await startServer(directory, address)),
    });
  } finally {
    await kill(server);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function startServer(directory: string, address: string): Promise<ChildProcess> {
  const program = await findProgram({ system: 'spacetimedb', names: spacetimedb.local.programs });
  if (program === null) throw new Error('no server was found');
  const key = join(directory, 'id_ecdsa');
  const words = [
    'start',
    '--non-interactive',
    '--listen-addr',
    address,
    '--data-dir',
    join(directory, 'data'),
  ];
  const keys = ['--jwt-priv-key-path', key, '--jwt-pub-key-path', `${key}.pub`];
  const server = spawn(program, [...words, ...keys], { stdio: 'ignore' });
  const api = httpApi(`http://${address}`);
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    try {
      await api.version(AbortSignal.timeout(readyTimeoutMs));
      return server;
    } catch (error) {
      // Not yet, unless it is too late for that.
      if (Date.now() > deadline || server.exitCode !== null) {
        await kill(server);
        throw error;
      }
      await sleep(50);
    }
  }
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGKILL');
  await exited;
}
