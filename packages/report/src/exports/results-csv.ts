import { type CellSummary, type RunSummary, settingsOfLoad, valueOfSetting } from '@fair-bench/results';
import { stringify } from 'csv-stringify/sync';

type Column = readonly [
  name: string,
  value: (cell: CellSummary) => string | number | boolean | null | undefined,
];

const measured = (
  name: string,
  value: (cell: CellSummary & { readonly status: 'ok' }) => number | null | undefined,
): Column => [name, (cell) => (cell.status === 'ok' ? value(cell) : null)];

/** A line for each cell (RFC 4180): what it is, its settings and parameters, its status, and its numbers where it has them. */
export function resultsCsv({ run, cells, verdict }: RunSummary): string {
  const parameters = [...new Set(cells.flatMap(({ axes }) => axes))];
  const columns: readonly Column[] = [
    ['run', () => run.id],
    ['mode', () => run.mode],
    ['verdict', () => verdict.label],
    ['workload', () => run.workload],
    ['cell', ({ id }) => id],
    ['target', ({ target }) => target],
    ['durability', ({ durability }) => durability],
    ...parameters.map((name): Column => [name, (cell) => textOf(cell.parameters[name])]),
    ...settingsOfLoad().map((setting): Column => [setting.key, (cell) => valueOfSetting(setting, cell)]),
    ['status', ({ status }) => status],
    ['reason', (cell) => (cell.status === 'ok' ? null : cell.reason)],
    measured('tps', ({ tps }) => tps.mean),
    measured('tps_low', ({ tps }) => tps.ci95?.[0]),
    measured('tps_high', ({ tps }) => tps.ci95?.[1]),
    measured('latency_ms_p50', ({ latencyMs }) => latencyMs.p50),
    measured('latency_ms_p95', ({ latencyMs }) => latencyMs.p95),
    measured('latency_ms_p99', ({ latencyMs }) => latencyMs.p99),
    measured('applied', ({ counts }) => counts.applied),
    measured('declined', ({ counts }) => counts.declined),
    measured('faults', ({ counts }) => counts.faults),
    measured('cost_per_million', ({ costPerMillion }) => costPerMillion?.amount),
  ];
  const lines = cells.map((cell) => columns.map(([, value]) => value(cell) ?? ''));
  return stringify([columns.map(([name]) => name), ...lines], { cast: { boolean: String } });
}

function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
