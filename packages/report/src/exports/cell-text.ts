import type { CellSummary } from '@fair-bench/results';
import { formatNumber } from '../sections/format.ts';

/** A measured cell in one line: `8,412 operations/s [7,900, 8,920], p99 77 ms`. */
export function cellText({ tps, latencyMs }: CellSummary & { readonly status: 'ok' }): string {
  const interval = tps.ci95 === null ? '' : ` [${tps.ci95.map((end) => formatNumber(end)).join(', ')}]`;
  return `${formatNumber(tps.mean)} operations/s${interval}, p99 ${formatNumber(latencyMs.p99)} ms`;
}
