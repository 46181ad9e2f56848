import type { WorkCounters } from '@fair-bench/contract';

/** Transfers that the server says it committed; absent where it shows no metrics. */
export function countersOf(metrics: readonly string[] | null): WorkCounters {
  if (metrics === null) return {};
  const lines = metrics.filter(
    (line) =>
      line.startsWith('spacetime_num_txns_total{') &&
      ['committed="true"', 'reducer="transfer"', 'txn_type="Reducer"'].every((label) => line.includes(label)),
  );
  return { commits: lines.reduce((sum, line) => sum + valueOf(line), 0) };
}

/** Whether the database has a log on disk, as its size in the server's metrics shows. */
export function storageOf(metrics: readonly string[] | null): 'disk' | 'memory' | 'unknown' {
  if (metrics === null) return 'unknown';
  const size = metrics.find((line) => line.startsWith('spacetime_message_log_size_bytes{'));
  return size !== undefined && valueOf(size) > 0 ? 'disk' : 'memory';
}

function valueOf(line: string): number {
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}
