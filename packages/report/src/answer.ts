import { assumedDeviation, describeDisturbance } from '@fair-bench/analysis';
import {
  type Explanation,
  type RunSummary,
  isEndOf,
  type MeasuredCell,
  voidsBefore,
} from '@fair-bench/results';
import { findingsOf } from './findings.ts';
import { axisColumns, byCommits, combinationsOf, sharedAndVarying } from './sections/axes.ts';
import { type BestPoint, bestPointsOf, describeBestPoint } from './sections/best-points.ts';
import { becauseLines, figureName, otherVerdicts, tallySentence, verdictSentence } from './sections/claim.ts';
import { type Step, stepsOf } from './sections/explanation.ts';
import {
  absent,
  assumedMark,
  endsInShort,
  formatNumber,
  formatRatio,
  inverseOf,
  plural,
  rangeText,
  ratioText,
  valueInWords,
} from './sections/format.ts';
import { isolationFindings } from './sections/isolation.ts';
import { byThroughput, formatLatency } from './sections/results.ts';
import { type ColumnOf, left, right, type Table, tableOf } from './sections/section.ts';

/** The first screen of every output: what a reader sees in ten seconds. */
export interface Answer {
  readonly tone: 'good' | 'bad' | 'neutral';
  /** The result in one sentence. */
  readonly headline: string;
  /** How quiet the machine was, in one line; null without a number. */
  readonly host: string | null;
  /** The reasons for the headline: broken rules, the claim's verdict. */
  readonly reasons: readonly string[];
  /** What the numbers say, the most important first. */
  readonly findings: readonly string[];
}

/** Sentences made from the numbers of the summary; nothing is measured or judged here. */
export function answerOf(summary: RunSummary): Answer {
  const answer = answerOfMode(summary);
  const host = describeDisturbance(summary.disturbance);
  const findings = [...isolationFindings(summary), ...answer.findings];
  return { ...answer, host, reasons: [...voidsLine(summary), ...answer.reasons], findings };
}

/** First, so that no limit of a terminal hides it. */
function voidsLine({ cells, run: { voidsMeasuredAgain: voids = 0 } }: RunSummary): readonly string[] {
  if (voids === 0) return [];
  const named = cells.filter(
    (cell) => cell.status !== 'unavailable' && cell.trials.some((trial) => voidsBefore(trial).length > 0),
  );
  return [
    `${plural(voids, 'void trial')} measured again, in ${named.map(({ id }) => id).join(', ')}: see “Measured again” in the report`,
  ];
}

type ModeAnswer = Omit<Answer, 'host'>;

function answerOfMode(summary: RunSummary): ModeAnswer {
  if (summary.claim !== undefined) return claimAnswer(summary, summary.claim);
  if (summary.run.mode === 'explain') return explanationAnswer(summary);
  const { verdict } = summary;
  const targets = new Set(measuredOf(summary).map(({ target }) => target)).size;
  const label = verdict.disturbed ? `${verdict.label}, disturbed` : verdict.label;
  const best = bestPointsOf(summary);
  if (targets === 0 && best.length > 0) return searchAnswer(summary, best);
  const headline = verdict.fair
    ? `${label}: ${plural(targets, 'target')} measured under the same rules, and every ${summary.run.voidsMeasuredAgain === undefined ? 'audit' : 'counted audit'} passed`
    : `${label}: this comparison breaks ${plural(brokenIn(verdict).length, 'rule')}`;
  return {
    tone: verdict.fair ? (verdict.disturbed ? 'neutral' : 'good') : 'bad',
    headline: targets === 0 ? 'No target was measured' : headline,
    reasons: [
      ...verdict.differences.map(({ rule, message }) => `${rule}: ${message}`),
      ...(summary.run.notes ?? []),
    ],
    findings: [...best.map(describeBestPoint), ...findingsOf(summary.comparisons)],
  };
}

/** No system has a number of the rounds, which alone give results: the run ended before them, or they were void. */
function searchAnswer({ run, cells }: RunSummary, best: readonly BestPoint[]): ModeAnswer {
  const isVoid = cells.some(({ status }) => status === 'void');
  return {
    tone: 'neutral',
    headline: `Search only, not confirmed: the best points of ${plural(best.length, 'system')} so far`,
    reasons: [
      isVoid
        ? 'Every point was void in the rounds, which alone give results: the reasons are below.'
        : 'The run ended before its rounds, which alone give results.',
      `Continue: ${continuation(run)}`,
      ...(run.notes ?? []),
    ],
    findings: best.map(describeBestPoint),
  };
}

/** The command that goes on from what the search found. */
function continuation({ command, id }: RunSummary['run']): string {
  const [script = '', options = ''] = command.split(' -- ');
  const rest = options.replace(/ ?--continue[ =]\S+/, '');
  return `${script} -- ${`${rest} --continue ${id}`.trim()}`;
}

function claimAnswer(summary: RunSummary, claim: NonNullable<RunSummary['claim']>): ModeAnswer {
  const { statement, differs } = claim;
  return {
    tone: 'neutral',
    headline: verdictSentence(claim),
    reasons: [
      `“${statement}”`,
      [...becauseLines(claim), tallySentence(claim)].join(' '),
      ...(differs.length === 0 ? [] : [`Conditions: ${differs.join('; ')}.`]),
    ],
    findings: [...factorSentences(summary), ...otherVerdicts(claim)],
  };
}

/** The ends of an explanation differ on purpose: the rules they break are part of the answer, not a verdict. */
function explanationAnswer(summary: RunSummary): ModeAnswer {
  const { explanation, verdict } = summary;
  const rules = brokenIn(verdict);
  const broken =
    rules.length === 0 ? [] : [`The two ends differ on purpose in ${rules.join(', ')} (FAIR-BENCHMARK.md).`];
  if (explanation === undefined) {
    const headline = 'No explanation: one of the two ends has no number in this run';
    return { tone: 'bad', headline, reasons: broken, findings: [] };
  }
  const { from, to } = endsInShort(explanation);
  const headline = `${to} is ${ratioText(explanation)} as fast as ${from}`;
  return { tone: 'neutral', headline, reasons: broken, findings: factorSentences(summary) };
}

function brokenIn({ differences }: RunSummary['verdict']): readonly string[] {
  return [...new Set(differences.map(({ rule }) => rule))];
}

/** What is left between the systems first, then one sentence for each factor of the waterfall, in its order. */
function factorSentences({ explanation }: RunSummary): readonly string[] {
  if (explanation === undefined) return [];
  const { ratio } = explanation;
  const steps = stepsOf(explanation);
  const factors = steps.filter(({ change }) => change !== null);
  return [
    ...steps.filter(({ change }) => change === null).map((step) => residualSentence(explanation, step)),
    ...factors.map(({ name, change, multiplier, ci95 }) => {
      const isAgainst = multiplier < 1 === ratio > 1 && multiplier !== 1;
      const [low, high] = ci95 ?? [1, 1];
      const against = isAgainst ? ' works against the gap' : '';
      const value = ratioText({ ratio: multiplier, ci95 });
      const end = low <= 1 && high >= 1 ? ', not significant' : '';
      return `${capitalized(name)} (${change})${against}: ${value}${end}.`;
    }),
  ];
}

/** `data access (stored procedure → engine)`; other parts of the residual are names already. */
function accessInWords(part: string): string {
  return part.startsWith('data access') ? part.replaceAll(/[a-z]+-[a-z-]+/g, valueInWords) : part;
}

function residualSentence(explanation: Explanation, { multiplier, ci95, bounds }: Step): string {
  const { ratio, residualIncludes } = explanation;
  const contains =
    residualIncludes === undefined
      ? ''
      : `, which contains ${residualIncludes.map(accessInWords).join(', ')}`;
  const orders = bounds === null || bounds[0] === bounds[1] ? '' : ` (${rangeText(bounds)} in single orders)`;
  return `Of ${formatRatio(ratio)} ×, ${ratioText({ ratio: multiplier, ci95 })}${orders} is left as architecture${contains}.`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

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

/** What the interval of any run rests on. */
function anyRunKey(cells: readonly MeasuredCell[]): string {
  const known = cells.flatMap(({ tps }) => tps.anyRun ?? []);
  if (known.length === 0) return '';
  const runs = Math.max(...known.map((one) => one.runs));
  const isAssumed = known.some((one) => one.runs === 0);
  const from = runs === 0 ? '' : ` ${runs} earlier runs`;
  const assumed = `a standard deviation of ${assumedDeviation * 100} %`;
  if (!isAssumed) return `; any run: with the deviation between${from} here`;
  return `; any run: with the deviation between runs here (${from === '' ? '' : `of${from}; `}* assumed: ${assumed})`;
}

function measuredOf({ cells }: RunSummary): readonly MeasuredCell[] {
  return cells.filter((cell) => cell.status === 'ok');
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
    ...(cells.some(({ tps }) => tps.anyRun !== undefined)
      ? [right('± any run', ({ cell }: Ranked) => anyRunText(cell))]
      : []),
    // Where each has a point of its own, sessions are no axis.
    ...(varying.includes('sessions') && !isOnePointEach(summary)
      ? [right('per session', ({ cell }: Ranked) => formatNumber(cell.tps.mean / cell.sessions))]
      : []),
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
function leadOver(cell: MeasuredCell, next: MeasuredCell | undefined, { comparisons }: RunSummary): string {
  if (next === undefined) return '';
  const found = comparisons.find(
    (one) =>
      (isEndOf(one, 'baseline', cell) && isEndOf(one, 'contender', next)) ||
      (isEndOf(one, 'baseline', next) && isEndOf(one, 'contender', cell)),
  );
  if (found === undefined) return '';
  const isInverse =
    found.baseline === cell.target &&
    (found.of !== 'clients' || found.points?.baseline.client === cell.client);
  return `${ratioText(isInverse ? inverseOf(found) : found)}${found.significant ? '' : ' n.s.'}${found.disturbed === true ? ' disturbed' : ''}`;
}
