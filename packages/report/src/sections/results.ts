import type { CellSummary, RunSummary } from '@fair-bench/results';
import { axisColumns, combinationsOf } from './axes.ts';
import { absent, formatNumber, formatOptional, formatSeconds, plural } from './format.ts';
import { type ColumnOf, left, right, type Section, tableOf } from './section.ts';

type MeasuredCell = Extract<CellSummary, { status: 'ok' }>;

/** Every cell that was measured; one without a number says what it is instead. Unavailable targets have their own section. */
export function resultsSection(summary: RunSummary): Section {
  const requested = summary.cells.filter(({ status }) => status !== 'unavailable');
  const cells = combinationsOf(requested).flatMap((same) => same.toSorted(byThroughput));
  return {
    title: 'Results',
    lines: [describeSetting(summary), ...describeRoundTrips(summary), ...(summary.run.notes ?? [])],
    table: tableOf([...axisColumns(cells), ...resultColumns], cells),
  };
}

/** The fastest first, cells without a number last. */
export function byThroughput(one: CellSummary, other: CellSummary): number {
  const tpsOf = (cell: CellSummary): number => (cell.status === 'ok' ? cell.tps.mean : -1);
  return tpsOf(other) - tpsOf(one);
}

/** What stands in a table of results for a cell, whatever its load. */
export const resultColumns: readonly ColumnOf<CellSummary>[] = [
  left('target', ({ target }) => target),
  right('TPS', (cell) => (cell.status === 'ok' ? formatNumber(cell.tps.mean) : cell.status), 'throughput'),
  right('± 95 %', measured(plusMinus), 'throughput'),
  right(
    'p50 ms',
    measured(({ latencyMs }) => formatNumber(latencyMs.p50)),
    'latency',
  ),
  right(
    'p99 ms',
    measured(({ latencyMs }) => formatNumber(latencyMs.p99)),
    'latency',
  ),
  right(
    'errors',
    measured(({ counts }) => count(counts.faults - timeoutsOf(counts))),
    'outcomes',
  ),
  right(
    'timeouts',
    measured(({ counts }) => count(timeoutsOf(counts))),
    'outcomes',
  ),
  right(
    'declined',
    measured(({ counts }) => count(counts.declined)),
    'outcomes',
  ),
  right(
    'retries',
    measured(({ counts }) => count(counts.retries)),
    'outcomes',
  ),
  right(
    'CPU µs/txn client',
    measured(({ cpuUsPerTxn }) => formatNumber(cpuUsPerTxn.client)),
    'cpu',
  ),
  right(
    'app',
    measured(({ cpuUsPerTxn }) => formatOptional(cpuUsPerTxn.appServer)),
    'cpu',
  ),
  right(
    'db',
    measured(({ cpuUsPerTxn }) => formatOptional(cpuUsPerTxn.database)),
    'cpu',
  ),
  left('audit', (cell) => (cell.status === 'unavailable' ? absent : cell.audit.status)),
];

function measured(text: (cell: MeasuredCell) => string): (cell: CellSummary) => string {
  return (cell) => (cell.status === 'ok' ? text(cell) : absent);
}

function plusMinus({ tps: { mean, ci95 } }: MeasuredCell): string {
  return ci95 === null ? '1 trial' : `± ${formatNumber(ci95[1] - mean)}`;
}

function timeoutsOf({ faultsBy }: MeasuredCell['counts']): number {
  return faultsBy.timeout ?? 0;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** How far away targets are stands beside their latency. */
function describeRoundTrips({ run }: RunSummary): readonly string[] {
  return (run.environment.roundTrips ?? []).map(
    ({ target, tcpConnectMsMin, samples }) =>
      `Network round trip to ${target}: ${formatNumber(tcpConnectMsMin)} ms, the least of ${samples} TCP handshakes`,
  );
}

function describeSetting({ run, cells }: RunSummary): string {
  const clients = [...new Set(cells.map(({ client }) => client))].join(' and ');
  const sessions = [...new Set(cells.map((cell) => cell.sessions))].join(' and ');
  return (
    `${run.workload}, ${run.mode} mode: ${clients} load client, ${sessions} sessions, loop ${run.loop}, ` +
    `${plural(run.rounds, 'round')} of ${formatSeconds(run.durationMs)} after ${formatSeconds(run.warmupMs)} ` +
    `of warm-up, seed ${run.seed}. TPS: applied operations per second as the load client counted them, mean ` +
    'over rounds. Errors, timeouts, declines and retries are sums over the timed windows.' +
    (run.inDoubtShareMax === undefined
      ? ''
      : ` A trial with more than ${formatNumber(run.inDoubtShareMax * 100)} % of its operations in doubt is void.`)
  );
}
