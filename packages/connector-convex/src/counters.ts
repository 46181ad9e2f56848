import type { WorkCounters } from '@fair-bench/contract';

/**
 * The backend's own metrics: committed transactions, and how often one ran again because others had changed what it
 * had read. Convex repeats those by itself and informs neither the function nor the client. Missing counters are left
 * out, and so are all if the backend shows no metrics.
 */
export function workCounters(metrics: readonly string[] | null): WorkCounters {
  if (metrics === null) return {};
  const commits = sum(metrics, /^\w*database_commit_seconds_count(\{|\s)/, 'status="success"');
  const retries = sum(metrics, /^\w*occ_retries_total_sum(\{|\s)/, '');
  return {
    ...(commits === null ? {} : { commits }),
    // The backend shows a histogram only after its first value: before, nothing ran again.
    ...(commits === null ? {} : { retries: retries ?? 0 }),
  };
}

function sum(metrics: readonly string[], name: RegExp, label: string): number | null {
  const lines = metrics.filter((line) => name.test(line) && line.includes(label));
  if (lines.length === 0) return null;
  return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
