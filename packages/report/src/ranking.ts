import { assumedDeviation } from '@fair-bench/analysis';
import { type Comparison, type RunSummary, isEndOf, type MeasuredCell } from '@fair-bench/results';
import { axisColumns, byCommits, combinationsOf, sharedAndVarying } from './sections/axes.ts';
import { figureName } from './sections/claim.ts';
import {
  absent,
  assumedMark,
  capitalized,
  endsInShort,
  formatNumber,
  formatRatio,
  inverseOf,
  ratioText,
} from './sections/format.ts';
import { byThroughput, costText, formatLatency } from './sections/results.ts';
import { type ColumnOf, left, optional, right, type Table, tableOf } from './sections/section.ts';

/** The words of the first screen, explained for a new reader. */
export function keyOf(summary: RunSummary): string {
  const { explanation } = summary;
  const interval = `[low, high] is a 95 % interval${anyRunKey(measuredOf(summary))}`;
  if (explanation === undefined)
    return `TPS: applied operations per second. Depth: operations that a session keeps in flight. ${interval}.`;
  const { shared } = endsInShort(explanation);
  const both = shared.length === 0 ? '' : `Both ends: ${shared.join(', ')}. `;
  return `${both}Each bar changes one thing and multiplies throughput by its factor; ${interval}.`;
}

/** The words of the table, after what is the same in all its rows. */
export function rankingKeyOf(summary: RunSummary): string {
  const disturbed = summary.verdict.disturbed ? '; disturbed: others used the machine' : '';
  const measured = measuredOf(summary);
  const key = `TPS: applied operations per second; ±: 95 %${anyRunKey(measured)}; depth: in flight per session; n.s.: not significant${disturbed}`;
  const { shared } = sharedAndVarying(summary.claim === undefined ? measured : []);
  return shared.length === 0 ? key : `All rows: ${shared.join(', ')}. ${key}`;
}

/** What the prediction of the next run rests on. */
function anyRunKey(cells: readonly MeasuredCell[]): string {
  const known = cells.flatMap(({ tps }) => tps.anyRun ?? []);
  if (known.length === 0) return '';
  const runs = Math.max(...known.map((one) => one.runs));
  const isAssumed = known.some((one) => one.runs === 0);
  const from = runs === 0 ? '' : ` ${runs} earlier runs`;
  const assumed = `a standard deviation of ${assumedDeviation * 100} %`;
  if (!isAssumed) return `; next run: with the deviation between${from} here`;
  return `; next run: with the deviation between runs here (${from === '' ? '' : `of${from}; `}* assumed: ${assumed})`;
}

/**
 * Cells with a number, the fastest of each combination first, each compared with the next one: one table of the commits of one
 * operation, one of each batch, and those that are not durable apart. Empty without a number.
 */
export function rankingsOf(summary: RunSummary): readonly Ranking[] {
  if (summary.claim !== undefined)
    return [{ title: '', table: tableOf(figureColumns, summary.claim.figures) }];
  const measured = measuredOf(summary);
  if (measured.length === 0) return [];
  const { varying } = sharedAndVarying(measured);
  return byCommits(measured).map(({ title, items }) => ({
    title: capitalized(title.replace(': ', '')),
    table: tableOf(rankedColumns(items, varying, summary), rankedCells(items, summary)),
  }));
}

/** A table of the first screen; the title is empty where there is one table. */
interface Ranking {
  readonly title: string;
  readonly table: Table;
}

function rankedCells(cells: readonly MeasuredCell[], summary: RunSummary): readonly Ranked[] {
  const groups = combinationsOf(cells, isOnePointEach(summary) ? ['durability'] : undefined);
  return groups.flatMap((group) => {
    const ranked = group.toSorted(byThroughput);
    return ranked.map((cell, index) => ({ cell, next: leadOver(cell, ranked[index + 1], summary) }));
  });
}

function rankedColumns(
  cells: readonly MeasuredCell[],
  varying: readonly string[],
  summary: RunSummary,
): readonly ColumnOf<Ranked>[] {
  return [
    // A table's own title says its batch.
    ...axisColumns(
      cells,
      varying.filter((name) => name !== 'batch'),
    ).map((axis) => ({ ...axis, text: ({ cell }: Ranked) => axis.text(cell) })),
    left('target', ({ cell }) => cell.target),
    right('TPS', ({ cell }) => formatNumber(cell.tps.mean)),
    right('± this run', ({ cell: { tps } }) =>
      tps.ci95 === null ? '1 trial' : percentText(tps.mean, tps.ci95),
    ),
    optional(right('± next run', ({ cell }: Ranked) => anyRunText(cell))),
    // Where each has a point of its own, sessions are no axis.
    ...(varying.includes('sessions') && !isOnePointEach(summary)
      ? [right('per session', ({ cell }: Ranked) => formatNumber(cell.tps.mean / cell.sessions))]
      : []),
    optional(right('cost / million', ({ cell }: Ranked) => costText(cell.costPerMillion))),
    left('times the next', ({ next }) => next),
    right('p99 ms', ({ cell }) => formatLatency(cell, cell.latencyMs.p99)),
    right('errors', ({ cell }) => formatNumber(cell.counts.faults)),
  ];
}

type Figure = NonNullable<RunSummary['claim']>['figures'][number];

/** A claim's figures beside the measured ones. */
const figureColumns: readonly ColumnOf<Figure>[] = [
  left('figure', figureName),
  right('claimed TPS', ({ claimedTps }) => formatNumber(claimedTps)),
  right('measured TPS', ({ measuredTps }) => (measuredTps === null ? absent : formatNumber(measuredTps))),
  left('95 %', ({ ci95 }) => (ci95 === null ? '' : `[${ci95.map(formatNumber).join(', ')}]`)),
];

interface Ranked {
  readonly cell: MeasuredCell;
  readonly next: string;
}

/** Where each target is measured at its own point, all are ranked together. */
function isOnePointEach({ run: { mode } }: RunSummary): boolean {
  return mode === 'optimized' || mode === 'explain';
}

function percentText(mean: number, [, high]: readonly [number, number]): string {
  return `${formatNumber(((high - mean) / mean) * 100)} %`;
}

/** With a mark where the deviation between runs is assumed. */
function anyRunText({ tps: { mean, anyRun } }: MeasuredCell): string {
  if (anyRun === undefined) return absent;
  return `${percentText(mean, anyRun.ci95)}${assumedMark(anyRun)}`;
}

/** The ratio of a cell to the next slower one of its combination. */
function leadOver(cell: MeasuredCell, next: MeasuredCell | undefined, summary: RunSummary): string {
  const lead = next === undefined ? null : leadOf(cell, next, summary);
  if (lead === null) return '';
  return `${ratioText(lead)}${lead.significant ? '' : ' n.s.'}${lead.disturbed === true ? ' disturbed' : ''}`;
}

/** How many times as fast one cell is as the other; null where they are not compared. */
function leadOf(cell: MeasuredCell, next: MeasuredCell, { comparisons }: RunSummary): Lead | null {
  const found = comparisons.find(
    (one) =>
      (isEndOf(one, 'baseline', cell) && isEndOf(one, 'contender', next)) ||
      (isEndOf(one, 'baseline', next) && isEndOf(one, 'contender', cell)),
  );
  if (found === undefined) return null;
  const isInverse =
    found.baseline === cell.target &&
    (found.of !== 'clients' || found.points?.baseline.client === cell.client);
  return { ...found, ...(isInverse ? inverseOf(found) : {}) };
}

type Lead = ReturnType<typeof inverseOf> & Pick<Comparison, 'significant' | 'belowNoiseFloor' | 'disturbed'>;

/**
 * What a stranger wants to know, in a sentence: how the fastest target of a fair run stands to the second. Null where there is no such
 * answer: another mode, commits that are not durable or in batches, several combinations, a given rate, which is offered and no result,
 * and where something stands against the numbers, which the verdict says first.
 */
export function plainAnswer(summary: RunSummary): string | null {
  const { verdict, cells, run } = summary;
  const measured = measuredOf(summary);
  const [table, ...tables] = byCommits(measured);
  const isWhole = cells.every(({ status }) => status === 'ok' || status === 'unavailable');
  const isOne = table?.title === '' && tables.length === 0 && combinationsOf(measured).length === 1;
  if (run.mode !== 'fair' || run.interrupted || !verdict.fair || verdict.trials?.void !== 0) return null;
  if (!isWhole || !isOne || measured.some(({ openLoop }) => openLoop !== undefined)) return null;
  const [best, second] = measured.toSorted(byThroughput);
  if (best === undefined || second === undefined || best.target === second.target) return null;
  const lead = leadOf(best, second, summary);
  if (lead === null || lead.ci95 === null) return null;
  const [low, high] = lead.ci95.map(formatRatio);
  const times = `${formatRatio(lead.ratio)} × (95 %: ${low} to ${high})`;
  const disturbed = lead.disturbed === true ? '; others used the machine' : '';
  const isClear = lead.significant && lead.belowNoiseFloor !== true;
  const [first, other] = [best.target, second.target];
  if (measured.length === 2)
    return isClear
      ? `${first} did ${times} the operations of ${other} here${disturbed}.`
      : `${first} and ${other} do not differ significantly here: ${times}${disturbed}.`;
  const among = `the fastest of ${measured.length} targets here`;
  return isClear
    ? `${first}, ${among}, did ${times} the operations of ${other}, the second${disturbed}.`
    : `${first} and ${other}, ${among}, do not differ significantly: ${times}${disturbed}.`;
}

function measuredOf({ cells }: RunSummary): readonly MeasuredCell[] {
  return cells.filter((cell) => cell.status === 'ok');
}
