import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkCounters, WorkloadShape } from '@fair-bench/contract';
import type { Database } from './database.ts';
import { loadReducer } from './tables.ts';

/** Short, because a lead that is worked off before the count is there stays hidden; readings are as rare as they are long. */
const pollMs = 3;
const completeTimeoutMs = 5_000;

/**
 * Committed calls of operations, by the server's own count; absent without metrics. The server counts a transaction a
 * few milliseconds after its commit, in the order of commits: its count is complete once it includes a transaction
 * that we make now. Rejects when that takes more than 5 s.
 */
export async function readCounters(
  database: Database,
  { tables, operations }: WorkloadShape,
  signal: AbortSignal,
): Promise<WorkCounters> {
  if ((await database.metrics(signal)) === null) return {};
  const [table] = tables;
  if (table === undefined) return {};
  const mark = loadReducer(table);
  await database.call(mark, '[[]]', signal);
  const returning = operations.some(({ writes, returns }) => writes && returns.kind !== 'nothing');
  const called = [...operations.map(({ name }) => name), ...(returning ? [ofProcedures] : [])];
  const deadline = Date.now() + completeTimeoutMs;
  for (;;) {
    const commits = committed((await database.metrics(signal)) ?? []);
    const marks = commits.get(mark) ?? 0;
    if (marks >= database.calls(mark)) {
      return { commits: called.reduce((sum, name) => sum + (commits.get(name) ?? 0), 0) };
    }
    if (Date.now() > deadline) {
      throw new Error(
        `SpacetimeDB: its metrics show ${marks} of the ${database.calls(mark)} calls of ${mark} after ` +
          `${completeTimeoutMs} ms, so its count of commits is not complete`,
      );
    }
    await sleep(pollMs, undefined, { signal });
  }
}

/** The size of the database's log as last measured by the server, in bytes; null if it shows none. */
export async function logSize(database: Database, signal: AbortSignal): Promise<number | null> {
  const metrics = await database.metrics(signal);
  const line = metrics?.find((candidate) => candidate.startsWith('spacetime_message_log_size_bytes{'));
  return line === undefined ? null : valueOf(line);
}

/** The server counts the transactions of procedures as its own, without a name; also those that only read. */
const ofProcedures = '';

/** Committed transactions by reducer. */
function committed(metrics: readonly string[]): ReadonlyMap<string, number> {
  const types = ['txn_type="Reducer"', 'txn_type="Internal"'];
  const counts = new Map<string, number>();
  for (const line of metrics) {
    const isCommitted = line.startsWith('spacetime_num_txns_total{') && line.includes('committed="true"');
    if (!isCommitted || !types.some((type) => line.includes(type))) continue;
    const reducer = /reducer="([^"]*)"/.exec(line)?.[1] ?? ofProcedures;
    counts.set(reducer, (counts.get(reducer) ?? 0) + valueOf(line));
  }
  return counts;
}

function valueOf(line: string): number {
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}
