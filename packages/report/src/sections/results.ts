import { isInLoadClient, processRoles } from '@fair-bench/contract';
import {
  type CellSummary,
  sustainedShareMin,
  type MeanEstimate,
  type RunSummary,
  type MeasuredCell,
  type RoundTrip,
} from '@fair-bench/results';
import { axisColumns, byCommits, combinationsOf } from './axes.ts';
import {
  absent,
  assumedMark,
  formatNumber,
  formatOptional,
  formatSeconds,
  plural,
  plusMinus,
} from './format.ts';
import { type ColumnOf, left, optional, right, type Section, tableOf } from './section.ts';

/**
 * Every cell; one without a number shows its status. Unavailable targets have their own section. Commits of one operation, of
 * several and commits that are not durable share no table.
 */
export function resultsSections(summary: RunSummary): readonly Section[] {
  const requested = summary.cells.filter(({ status }) => status !== 'unavailable');
  const tables = byCommits(requested);
  const lines = [
    describeSetting(summary),
    ...describeStarts(summary),
    ...describeRoundTrips(summary),
    ...describeOpenLoop(summary),
    ...describeCold(summary),
    ...describeAmplification(summary),
    ...(summary.run.notes ?? []),
  ];
  return tables.map(({ title, items }, index) => {
    const cells = combinationsOf(items).flatMap((same) => same.toSorted(byThroughput));
    const columns = [
      ...axisColumns(cells),
      ...resultColumnsOf(cells),
      ...openLoopColumns,
      ...coldColumns,
      ...longWindowColumns(cells),
      ...amplificationColumns,
    ];
    return { title: `Results${title}`, lines: index === 0 ? lines : [], table: tableOf(columns, cells) };
  });
}

/** The fastest first, cells without a number last. */
export function byThroughput(one: CellSummary, other: CellSummary): number {
  const tpsOf = (cell: CellSummary): number => (cell.status === 'ok' ? cell.tps.mean : -1);
  return tpsOf(other) - tpsOf(one);
}

/** The columns of the table of results: of a pooler only where one of the cells has one. */
export function resultColumnsOf(cells: readonly CellSummary[]): readonly ColumnOf<CellSummary>[] {
  const hasPooler = cells.some((cell) => cell.status === 'ok' && cell.cpuUsPerTxn.pooler !== null);
  const parts = hasPooler ? allParts : allParts.filter((part) => part !== 'pooler');
  return [
    ...outcomeColumns,
    ...byProcess('CPU µs/txn client', 'cpuUsPerTxn', 'cpu', parts),
    ...byProcess('MiB client', 'rssMb', 'memory', parts),
    left('audit', (cell) => (cell.status === 'unavailable' ? absent : cell.audit.status)),
  ];
}

const allParts = ['client', ...processRoles] as const;

const outcomeColumns: readonly ColumnOf<CellSummary>[] = [
  left('target', ({ target }) => target),
  right('TPS', (cell) => (cell.status === 'ok' ? formatNumber(cell.tps.mean) : cell.status), 'throughput'),
  measured('± 95 %', 'throughput', ({ tps: { mean, ci95 } }) => plusMinus(mean, ci95)),
  optional(
    measured('± next run', 'throughput', ({ tps: { mean, anyRun } }) =>
      anyRun === undefined ? absent : `${plusMinus(mean, anyRun.ci95)}${assumedMark(anyRun)}`,
    ),
  ),
  measured('starts', 'throughput', ({ deployments }) => formatOptional(deployments)),
  measured('p50 ms', 'latency', (cell) => formatLatency(cell, cell.latencyMs.p50)),
  measured('p99 ms', 'latency', (cell) => {
    return `${formatLatency(cell, cell.latencyMs.p99)}${margin(cell.overTrials.latencyMs.p99)}`;
  }),
  measured('errors', 'outcomes', ({ counts }) => count(counts.faults - timeoutsOf(counts))),
  measured('timeouts', 'outcomes', ({ counts }) => count(timeoutsOf(counts))),
  measured('declined', 'outcomes', ({ counts }) => count(counts.declined)),
  measured('retries', 'outcomes', ({ counts }) => count(counts.retries)),
  optional(measured('cost / million', 'throughput', ({ costPerMillion }) => costText(costPerMillion))),
  // How many operations that write share a flush.
  optional(
    measured('ops/flush', 'outcomes', ({ operationsPerFlush }) => formatOptional(operationsPerFlush ?? null)),
  ),
];

/** `0.031 EUR`; absent where nobody said what an hour costs. */
export function costText(cost: MeasuredCell['costPerMillion']): string {
  return cost === undefined ? absent : `${formatNumber(cost.amount)} ${cost.currency}`;
}

/** A column of cells with a number. */
function measured(head: string, group: string, text: (cell: MeasuredCell) => string): ColumnOf<CellSummary> {
  return right(head, (cell) => (cell.status === 'ok' ? text(cell) : absent), group);
}

/** What each part used, with its interval over the trials. */
function byProcess(
  head: string,
  of: 'cpuUsPerTxn' | 'rssMb',
  group: string,
  parts: readonly (typeof allParts)[number][],
): readonly ColumnOf<CellSummary>[] {
  const heads = { client: head, appServer: 'app', pooler: 'pooler', database: 'db' } as const;
  return parts.map((process) =>
    measured(heads[process], group, (cell) =>
      process === 'database' && isInLoadClient(cell.facts)
        ? 'in client'
        : withMargin(cell[of][process], cell.overTrials[of][process]),
    ),
  );
}

/** Half of the 95 % interval over the trials; empty without one. */
function margin(estimate: MeanEstimate | null | undefined): string {
  return estimate?.ci95 ? ` ${plusMinus(estimate.mean, estimate.ci95)}` : '';
}

function withMargin(value: number | null, estimate: MeanEstimate | null | undefined): string {
  return value === null ? absent : `${formatNumber(value)}${margin(estimate)}`;
}

/** The requested and the achieved rate. */
const openLoopColumns = (
  [
    ['offered /s', 'offeredPerSecond'],
    ['started', 'startedPerSecond'],
    ['achieved', 'achievedPerSecond'],
  ] as const
).map(([head, part]) =>
  optional(measured(head, 'open loop', ({ openLoop }) => formatOptional(openLoop?.[part] ?? null))),
);

/** Of engines that began cold. */
const coldColumns = [
  estimated('open ms', 'cold', ({ coldStart }) => coldStart?.openMs),
  estimated('1st s TPS', 'cold', ({ coldStart }) => coldStart?.firstSecond?.tps),
  estimated('1st s mean ms', 'cold', ({ coldStart }) => coldStart?.firstSecond?.latencyMsMean),
];

/** A mean over the trials with its interval. */
function estimated(
  head: string,
  group: string,
  of: (cell: MeasuredCell) => MeanEstimate | null | undefined,
): ColumnOf<CellSummary> {
  return optional(
    measured(head, group, (cell) => {
      const found = of(cell) ?? null;
      return withMargin(found?.mean ?? null, found);
    }),
  );
}

/** Stalls, such as those of a compaction, are seen in windows of many seconds only. */
function longWindowColumns(cells: readonly CellSummary[]): readonly ColumnOf<CellSummary>[] {
  const isLong = (cell: CellSummary): boolean => cell.status === 'ok' && cell.worstSecondTps !== undefined;
  if (!cells.some(isLong)) return [];
  return [
    measured('p99.9 ms', 'stalls', (cell) => formatLatency(cell, cell.latencyMs.p999)),
    measured('worst second TPS', 'stalls', ({ worstSecondTps }) => formatOptional(worstSecondTps ?? null)),
  ];
}

/** Of engines in the load client. */
const amplificationColumns = [
  estimated('write ×', 'amplification', ({ amplification }) => amplification?.write),
  estimated('space ×', 'amplification', ({ amplification }) => amplification?.space),
  estimated('compacted ×', 'amplification', ({ amplification }) => amplification?.spaceCompacted),
];

function describeAmplification({ cells }: RunSummary): readonly string[] {
  if (!cells.some((cell) => cell.status === 'ok' && cell.amplification !== undefined)) return [];
  return [
    'write ×: bytes that the process of the engine wrote to disks in the window ÷ bytes of the data that its operations wrote. ' +
      'space ×: bytes of its files on the disk ÷ bytes of the data in them when the load had ended; compacted ×: after its own compaction. ' +
      `${absent}: not observed, or it has none.`,
  ];
}

function describeCold({ cells }: RunSummary): readonly string[] {
  if (!cells.some(({ cold }) => cold === true)) return [];
  return [
    'Cold: before each trial the files of the engine left the page cache, and the load client opened it anew. open ms: until it was open. ' +
      '1st s: the second from the first operation on, of which the warm-up is a part.',
  ];
}

/** `≥` before a lower bound: operations were still waiting when the window ended. */
export function formatLatency({ openLoop }: MeasuredCell, ms: number): string {
  return `${openLoop?.held === false ? '≥ ' : ''}${formatNumber(ms)}`;
}

function describeOpenLoop({ cells }: RunSummary): readonly string[] {
  const measuredCells = cells.filter((cell) => cell.status === 'ok');
  const overloaded = measuredCells.filter(({ openLoop }) => openLoop?.held === false);
  if (overloaded.length === 0) return [];
  return [
    `Overload in ${plural(overloaded.length, 'cell')} (${overloaded.map(({ id }) => id).join(', ')}): ` +
      `less than ${sustainedShareMin * 100} % of what fell due was applied or declined. Their percentiles are lower bounds ` +
      '(≥): an operation that was not started or not answered counts with its waiting time so far.',
  ];
}

function timeoutsOf({ faultsBy }: MeasuredCell['counts']): number {
  return faultsBy.timeout ?? 0;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** On how many starts of their servers the cells were measured, and so what their intervals contain. */
export function describeStarts({ cells }: Pick<RunSummary, 'cells'>): readonly string[] {
  const several = cells.filter((cell) => cell.status === 'ok' && cell.tps.trials.length > 1);
  const once = several.filter((cell) => cell.status === 'ok' && cell.deployments === 1);
  if (several.length === 0) return [];
  const byUrl = once.filter((cell) => cell.status === 'ok' && cell.facts.provider === 'url');
  const named = (some: readonly CellSummary[]): string =>
    [...new Set(some.map(({ target }) => target))].join(', ');
  const names = byUrl.length === once.length ? `${named(once)}, given by URL` : named(once);
  return [
    once.length === several.length
      ? `One start of each server (${names}): intervals leave out what differs from start to start.`
      : 'Servers were ended and started anew, with empty data directories, before each round: intervals contain what differs from start to start' +
        (once.length === 0 ? '.' : `, except those of one start (${names}).`),
  ];
}

/** The network distance of targets, beside their latency. */
function describeRoundTrips({ run }: RunSummary): readonly string[] {
  return (run.environment.roundTrips ?? []).map(
    ({ target, tcpConnectMsMin, samples, statementMs }) =>
      `Network round trip to ${target}: ${formatNumber(tcpConnectMsMin)} ms, the least of ${samples} TCP handshakes` +
      (statementMs === undefined ? '' : `; ${describeStatements(statementMs)}`),
  );
}

/** What an operation of a system on another machine waits for at least, for the first screen. */
export function remoteRoundTrips({ run }: RunSummary): readonly string[] {
  return (run.environment.roundTrips ?? []).flatMap(({ target, remote, statementMs, tcpConnectMsMin }) => {
    if (remote === undefined) return [];
    const handshake = `a TCP handshake takes ${formatNumber(tcpConnectMsMin)} ms at least`;
    return [
      `${target} is on another machine: ${statementMs === undefined ? handshake : describeStatements(statementMs)}.`,
    ];
  });
}

function describeStatements({ p50, p99, samples }: NonNullable<RoundTrip['statementMs']>): string {
  return `a statement that reads nothing takes ${formatNumber(p50)} ms in the median, ${formatNumber(p99)} ms at p99 of ${samples}`;
}

function describeSetting({ run, cells }: RunSummary): string {
  const clients = [...new Set(cells.map(({ client }) => client))].join(' and ');
  const sessions = [...new Set(cells.map((cell) => cell.sessions))].join(' and ');
  return (
    `${run.workload}, ${run.mode} mode: ${clients} load client, ${sessions} sessions, loop ${run.loop}, ` +
    `${plural(run.rounds, 'round')} of ${formatSeconds(run.durationMs)} after ${formatSeconds(run.warmupMs)} ` +
    `of warm-up, longer for a cell with a long latency, seed ${run.seed}. TPS: applied operations per second as the load client counted them, mean ` +
    'over rounds. Errors, timeouts, declines and retries are sums over the timed windows. ' +
    `A trial with more than ${formatNumber(run.inDoubtShareMax * 100)} % of its operations in doubt, or more than ` +
    `${formatNumber(run.faultsShareMax * 100)} % of faults, is void.`
  );
}
