import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, Transfer } from '@fair-bench/contract';
import { freePort } from '@fair-bench/supervisor';
import { findBinary } from '../src/binary.ts';
import { createDatabase } from '../src/database.ts';
import { transferAccess } from '../src/dataset.ts';
import { httpApi } from '../src/http-api.ts';
import { connectSession } from '../src/session.ts';

const sessionCount = 16;
const depth = 8;
const slots = sessionCount * depth;
const initialBalance = 1_000_000_000n;
const readyTimeoutMs = 20_000;

export interface KillFigures {
  readonly acknowledged: number;
  /** Outstanding when the connection was lost. */
  readonly inDoubt: number;
  /** Acknowledged before the kill, and not there after the restart. */
  readonly lost: number;
  /** There after the restart beyond what was acknowledged or in doubt. */
  readonly invented: number;
}

/**
 * Loads a real server with 128 operations outstanding, kills it by SIGKILL after `loadMs`, starts it again on the
 * same data and compares. Each slot moves 1 at a time from an account of its own to another, so that what was lost
 * is counted slot by slot.
 */
export async function killUnderLoad(confirmedReads: boolean, loadMs: number): Promise<KillFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-kill-'));
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  let server = await startServer(directory, address);
  const sessions: Session<Transfer>[] = [];
  try {
    const database = await createDatabase(httpApi(url), AbortSignal.timeout(readyTimeoutMs));
    const access = transferAccess(database);
    const accounts = 2 * slots;
    await access.seed({ accounts, initialBalance }, AbortSignal.timeout(readyTimeoutMs));
    const options = { url, database: database.name, confirmedReads };
    for (let index = 0; index < sessionCount; index += 1) {
      sessions.push(await connectSession(options, AbortSignal.timeout(readyTimeoutMs)));
    }
    const counts = Array.from({ length: slots }, async (_, slot) => {
      const session = sessions[slot % sessionCount];
      if (session === undefined) throw new Error(`slot ${slot} has no session`);
      return await transferUntilLost(session, slot);
    });
    await sleep(loadMs);
    await kill(server);
    const told = await Promise.all(counts);
    server = await startServer(directory, address);
    const moved = Array.from({ length: slots }, () => 0);
    for await (const { ids, balances } of access.balances(AbortSignal.timeout(readyTimeoutMs))) {
      for (const [index, id] of ids.entries()) {
        if (id % 2 === 1) moved[(id - 1) / 2] = Number((balances[index] ?? 0n) - initialBalance);
      }
    }
    return compare(told, moved);
  } finally {
    await Promise.all(sessions.map(async (session) => await session.close()));
    await kill(server);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Told {
  readonly acknowledged: number;
  readonly inDoubt: number;
}

async function transferUntilLost(session: Session<Transfer>, slot: number): Promise<Told> {
  const transfer = { source: 2 * slot, target: 2 * slot + 1, amount: 1n };
  for (let acknowledged = 0; ; acknowledged += 1) {
    const outcome = await session.execute(transfer);
    if (outcome.kind === 'declined') throw new Error(`slot ${slot} was declined: ${outcome.reason}`);
    if (outcome.kind === 'fault') return { acknowledged, inDoubt: outcome.inDoubt ? 1 : 0 };
  }
}

function compare(told: readonly Told[], moved: readonly number[]): KillFigures {
  const figures = { acknowledged: 0, inDoubt: 0, lost: 0, invented: 0 };
  for (const [slot, { acknowledged, inDoubt }] of told.entries()) {
    const there = moved[slot] ?? 0;
    figures.acknowledged += acknowledged;
    figures.inDoubt += inDoubt;
    figures.lost += Math.max(0, acknowledged - there);
    figures.invented += Math.max(0, there - acknowledged - inDoubt);
  }
  return figures;
}

async function startServer(directory: string, address: string): Promise<ChildProcess> {
  const binary = await findBinary();
  if (binary === null) throw new Error('no server was found');
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
  const server = spawn(binary.path, [...words, ...keys], { stdio: 'ignore' });
  const api = httpApi(`http://${address}`);
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    try {
      await api.version(AbortSignal.timeout(readyTimeoutMs));
      return server;
    } catch (error) {
      // Not yet, unless it is too late for that.
      if (Date.now() > deadline || server.exitCode !== null) throw error;
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
