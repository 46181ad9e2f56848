import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkCounters } from '@fair-bench/contract';
import type { Database } from './database.ts';

const pollMs = 20;
const completeTimeoutMs = 5_000;

/**
 * Transfers that the server says it committed; absent where it shows no metrics. The server counts a transaction a
 * few milliseconds after its commit, in the order of the commits: complete is what it shows once it has counted a
 * transaction that we make now. Rejects when that takes more than 5 s.
 */
export async function readCounters(database: Database, signal: AbortSignal): Promise<WorkCounters> {
  if ((await database.metrics(signal)) === null) return {};
  await database.call('seed', '[0,0,0]', signal);
  const deadline = Date.now() + completeTimeoutMs;
  for (;;) {
    const metrics = (await database.metrics(signal)) ?? [];
    const seeds = committed(metrics, 'seed');
    if (seeds >= database.calls('seed')) return { commits: committed(metrics, 'transfer') };
    if (Date.now() > deadline) {
      throw new Error(
        `SpacetimeDB: its metrics show ${seeds} of the ${database.calls('seed')} calls of seed after ` +
          `${completeTimeoutMs} ms, so its count of commits is not complete`,
      );
    }
    await sleep(pollMs, undefined, { signal });
  }
}

/** The size of the database's log as the server last measured it, in bytes; null where it shows none. */
export async function logSize(database: Database, signal: AbortSignal): Promise<number | null> {
  const metrics = await database.metrics(signal);
  const line = metrics?.find((candidate) => candidate.startsWith('spacetime_message_log_size_bytes{'));
  return line === undefined ? null : valueOf(line);
}

function committed(metrics: readonly string[], reducer: string): number {
  const labels = ['committed="true"', `reducer="${reducer}"`, 'txn_type="Reducer"'];
  return metrics
    .filter(
      (line) => line.startsWith('spacetime_num_txns_total{') && labels.every((label) => line.includes(label)),
    )
    .reduce((sum, line) => sum + valueOf(line), 0);
}

function valueOf(line: string): number {
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}
