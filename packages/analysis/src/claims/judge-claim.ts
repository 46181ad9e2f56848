import {
  type CellSummary,
  type Claim,
  type ClaimDesign,
  type ClaimResult,
  type ClaimStatement,
  type RatioEstimate,
  type RoundPair,
  type RunPlan,
  type TrialRecord,
  holmAdjusted,
  isPassed,
  pairedRatio,
  roundsToDecide,
  significanceLevel,
} from '@fair-bench/results';

/**
 * A claim is supported from this share of its ratio: another machine changes a ratio, and "about 14 times" does not
 * promise 14.0.
 */
export const supportedFrom = 0.8;
/** An interval that reaches further than this × to either side supports nothing. */
export const supportWidthMax = 1.5;

type StatementResult = NonNullable<ClaimResult['statements']>[number];

export interface ClaimEvidence {
  readonly design: ClaimDesign;
  readonly plan: RunPlan;
  readonly cells: readonly CellSummary[];
  readonly trials: readonly TrialRecord[];
  /** From the run's start to its end. */
  readonly elapsedMs: number;
}

/** A run's verdict on a claim. Pure. The headline is the claim's first statement. */
export function judgeClaim(evidence: ClaimEvidence): ClaimResult {
  const { claim } = evidence.design;
  const statements = judgeStatements(claim.statements, evidence);
  const [headline] = statements;
  if (headline === undefined) throw new RangeError(`claim ${claim.name}: no statement`);
  return {
    name: claim.name,
    source: claim.source,
    date: claim.date,
    ...headline,
    statements: [...statements],
    breaks: claim.breaks,
    figures: claim.figures.map((figure) => figureResult(figure, evidence)),
  };
}

/** A statement with its measurement; `lacking` says why it has no measurement. */
interface MeasuredStatement {
  readonly statement: ClaimStatement;
  readonly lacking: readonly string[];
  readonly rounds: readonly RoundPair[];
  /** Tested against what the ratio has to reach; null without rounds. */
  readonly estimate: RatioEstimate | null;
}

/** A claim's statements are one family of tests. */
function judgeStatements(
  statements: readonly ClaimStatement[],
  evidence: ClaimEvidence,
): readonly StatementResult[] {
  const measured = statements.map((statement): MeasuredStatement => {
    const lacking = [statement.from, statement.to].flatMap((id) => lackOf(id, evidence) ?? []);
    const rounds = lacking.length > 0 ? [] : roundsOf(statement, evidence);
    const estimate = rounds.length === 0 ? null : pairedRatio(rounds, thresholdOf(statement));
    return { statement, lacking, rounds, estimate };
  });
  const adjusted = holmAdjusted(measured.map(({ estimate }) => estimate?.pValue ?? null));
  return measured.map(({ lacking, estimate, ...one }, index) => {
    const { statement, claimedRatio } = one.statement;
    const said = { statement, claimedRatio };
    if (estimate === null) {
      const because = lacking.length > 0 ? lacking.join('; ') : 'its cells have no round in common';
      return { ...said, measured: null, verdict: 'not measured', because };
    }
    const isDecided = (adjusted[index] ?? 1) <= significanceLevel;
    const { ratio, ci95 } = estimate;
    return { ...said, measured: { ratio, ci95 }, ...verdictOn({ ...one, estimate, isDecided }, evidence) };
  });
}

/** The ratio that a claim must reach; for a claim that something costs speed, the ratio it must stay below. */
function thresholdOf({ claimedRatio }: ClaimStatement): number {
  return claimedRatio >= 1 ? claimedRatio * supportedFrom : claimedRatio / supportedFrom;
}

interface Tested {
  readonly statement: ClaimStatement;
  readonly rounds: readonly RoundPair[];
  readonly estimate: RatioEstimate;
  /** Whether the interval excludes the threshold, also among the claim's other statements. */
  readonly isDecided: boolean;
}

type Judged = Pick<StatementResult, 'verdict' | 'because' | 'toDecide'>;

function verdictOn(tested: Tested, evidence: ClaimEvidence): Judged {
  const { statement, estimate, isDecided } = tested;
  const { claimedRatio } = statement;
  const { ratio, ci95 } = estimate;
  const threshold = thresholdOf(statement);
  const isReached = claimedRatio >= 1 ? ratio >= threshold : ratio <= threshold;
  const isNarrow = ci95 !== null && ci95[1] / ratio <= supportWidthMax;
  const conditions = conditionsOf(evidence);
  if (!isDecided || (isReached && !isNarrow)) return undecided(tested, conditions, evidence);
  const side = isReached === claimedRatio >= 1 ? 'above' : 'below';
  const isMore = claimedRatio >= 1 && ci95 !== null && ci95[0] > claimedRatio;
  const bound = isMore ? 'the claimed ratio' : boundOf(statement);
  return {
    verdict: isReached ? 'supported' : 'contradicted',
    because: `the whole interval is ${side} ${bound}${conditions}`,
  };
}

function undecided(
  { statement, rounds, estimate: { ratio, ci95 }, isDecided }: Tested,
  conditions: string,
  { plan, elapsedMs }: ClaimEvidence,
): Judged {
  const threshold = thresholdOf(statement);
  const isClear = ci95 !== null && (ci95[0] > threshold || ci95[1] < threshold);
  const why = ((): string => {
    if (ci95 === null) return 'one round has no interval';
    if (isDecided)
      return `its interval reaches ${show(ci95[1] / ratio)} × to either side, and more than ${supportWidthMax} × supports nothing`;
    if (isClear) return `not significant among the claim's statements (Holm)`;
    return `its interval includes ${boundOf(statement)}`;
  })();
  const count = roundsToDecide(rounds, threshold, supportWidthMax);
  const seconds = ((count ?? 0) * elapsedMs) / 1000 / plan.rounds.length;
  const time = count === null ? '' : `; about ${count} rounds (${inWords(seconds)}) would decide it`;
  return {
    verdict: 'undecided',
    because: `${why}${time}${conditions}`,
    toDecide: count === null ? null : { rounds: count, seconds },
  };
}

function boundOf(statement: ClaimStatement): string {
  const share = statement.claimedRatio >= 1 ? `, ${supportedFrom} of the claim` : '';
  return `${show(thresholdOf(statement))} ×${share}`;
}

/** How it was measured, whatever the verdict. */
function conditionsOf({ design: { claim }, plan: { timing } }: ClaimEvidence): string {
  const { breaks, windowSeconds } = claim;
  const rules = breaks.map(({ rule }) => rule).join(', ');
  const broken =
    breaks.length === 0 ? '' : `; the claim's own settings, used here, break ${rules} (FAIR-BENCHMARK.md)`;
  const isSameWindow = windowSeconds === null || windowSeconds * 1000 === timing.windowMs;
  const window = isSameWindow
    ? ''
    : `; windows took ${timing.windowMs / 1000} s here, ${windowSeconds} s in the claim`;
  return `${broken}${window}`;
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}

/** Why a figure has no number in this run, or null when it has one. */
function lackOf(id: string, { design, cells }: ClaimEvidence): string | null {
  const figure = design.claim.figures.find((one) => one.id === id);
  const planned = design.figures.find((one) => one.id === id);
  const label = figure?.label ?? id;
  const cellId = planned?.cellId ?? null;
  if (cellId === null) return `${label}: ${planned?.notes[0] ?? 'no target here corresponds to it'}`;
  const cell = cells.find((one) => one.id === cellId);
  if (cell === undefined) return `${label}: it is not part of this run`;
  return cell.status === 'ok' ? null : `${label}: ${cell.status}: ${cell.reason}`;
}

function cellOf(id: string, { figures }: ClaimDesign): string {
  return figures.find((one) => one.id === id)?.cellId ?? '';
}

function roundsOf({ from, to }: ClaimStatement, { design, trials }: ClaimEvidence): readonly RoundPair[] {
  const passed = trials.filter(isPassed).filter(({ tps }) => tps > 0);
  return passed
    .filter(({ cellId }) => cellId === cellOf(from, design))
    .flatMap(({ round, tps: baseline }) => {
      const same = passed.find((trial) => trial.cellId === cellOf(to, design) && trial.round === round);
      return same === undefined ? [] : [{ baseline, contender: same.tps }];
    });
}

function figureResult(
  { id, label, tps, where }: Claim['figures'][number],
  evidence: ClaimEvidence,
): ClaimResult['figures'][number] {
  const planned = evidence.design.figures.find((one) => one.id === id);
  const cell = evidence.cells.find((one) => one.id === planned?.cellId);
  const cellId = planned?.cellId ?? null;
  const lack = cellId === null ? null : lackOf(id, evidence);
  const said = planned?.notes ?? ['no target here corresponds to it'];
  return {
    label,
    claimedTps: tps,
    where,
    cellId,
    measuredTps: cell?.status === 'ok' ? cell.tps.mean : null,
    ci95: cell?.status === 'ok' ? cell.tps.ci95 : null,
    note: [...(lack === null ? [] : [lack]), ...said].join('; '),
  };
}

function show(ratio: number): string {
  return String(Number(ratio.toPrecision(3)));
}
