import type { MeasuredCell, RunSummary } from '@fair-bench/results';
import { absent, formatNumber } from './format.ts';
import { type ColumnOf, left, right, type Section, tableOf } from './section.ts';

type Operation = NonNullable<MeasuredCell['operations']>[number];

interface OfCell extends Operation {
  readonly cell: string;
}

/** Each operation of a mix by itself. */
export function operationsSection(summary: RunSummary): readonly Section[] {
  const all = allOf(summary);
  if (all.length === 0) return [];
  const lines = [
    'Applied operations of each kind, means over the rounds. Latencies are from sending to end, of all that ended in the window; the bound is what the workload says that 90 of a hundred may take.',
  ];
  return [{ title: 'Operations', lines, table: tableOf(columns, all) }];
}

/** `postgres-driver-w1: 38,120 New-Orders per minute, derived from TPC-C and no TPC result (± 1,200)`. */
export function operationFindings(summary: RunSummary): readonly string[] {
  return allOf(summary).flatMap(({ cell, as, perMinute }) =>
    as === undefined ? [] : [`${cell}: ${formatNumber(perMinute.mean)} ${as}${within(perMinute)}`],
  );
}

function within({ mean, ci95 }: Operation['perMinute']): string {
  return ci95 === null ? '' : ` (± ${formatNumber(ci95[1] - mean)})`;
}

function allOf({ cells }: RunSummary): OfCell[] {
  return cells.flatMap((cell) =>
    cell.status === 'ok' ? (cell.operations ?? []).map((each) => ({ ...each, cell: cell.id })) : [],
  );
}

const ms = (value: number | undefined): string => (value === undefined ? absent : formatNumber(value));

const columns: readonly ColumnOf<OfCell>[] = [
  left('cell', ({ cell }) => cell),
  left('operation', ({ operation }) => operation),
  right('per minute', ({ perMinute }) => `${formatNumber(perMinute.mean)}${within(perMinute)}`),
  right('share', ({ share }) => `${(share * 100).toFixed(1)} %`),
  right('p50 ms', ({ latencyMs }) => ms(latencyMs?.p50)),
  right('p90 ms', ({ latencyMs }) => ms(latencyMs?.p90)),
  right('bound', ({ p90MsMax, latencyMs }) => {
    if (p90MsMax === undefined) return absent;
    const isWithin = latencyMs === null || latencyMs.p90 <= p90MsMax;
    return `${formatNumber(p90MsMax)} ${isWithin ? 'kept' : 'NOT kept'}`;
  }),
  right('p99 ms', ({ latencyMs }) => ms(latencyMs?.p99)),
  right('declined', ({ declined }) => formatNumber(declined)),
  right('errors', ({ faults }) => formatNumber(faults)),
];
