import {
  type CellSummary,
  type Claim,
  type ClaimDesign,
  type ClaimResult,
  type ClaimStatement,
  type Environment,
  type LogEstimate,
  type RoundPair,
  type RunPlan,
  type StatementResult,
  type TrialRecord,
  isPassed,
  lackingFor,
  settingText,
  pairedLogRatio,
  plannedFigure,
  ratioEstimateOf,
  readingsOf,
  roundsToDecide,
} from '@fair-bench/results';
import { boundsOf, judgeRatios, supportWidthMax } from './judge-ratio.ts';

export interface ClaimEvidence {
  readonly design: ClaimDesign;
  readonly plan: RunPlan;
  readonly cells: readonly CellSummary[];
  readonly trials: readonly TrialRecord[];
  readonly environment: Pick<Environment, 'cpu' | 'memoryBytes'>;
  /** From the run's start to its end. */
  readonly elapsedMs: number;
}

/** One run's verdict on a claim. Pure. The headline is the claim's first statement. */
export function judgeClaim(evidence: ClaimEvidence): ClaimResult {
  const { claim, figures } = evidence.design;
  const statements = judgeStatements(evidence);
  const ofHeadline = statements.slice(0, readingsOf(claim, first(claim.statements)).length);
  const headline = ofHeadline.find(({ measured }) => measured !== null) ?? first(ofHeadline);
  const { cores, model } = evidence.environment.cpu;
  return {
    name: claim.name,
    source: claim.source,
    date: claim.date,
    host: claim.host,
    machine: `${cores} core${cores === 1 ? '' : 's'} (${model})`,
    ...headline,
    statements: [...statements],
    differs: differencesOf(evidence),
    breaks: claim.breaks,
    figures: figures.flatMap((planned) => figureResult(planned, evidence)),
  };
}

function first<Value>(values: readonly Value[]): Value {
  const [value] = values;
  if (value === undefined) throw new RangeError('a claim without a statement');
  return value;
}

/** A statement in one reading with its measurement; `lacking` says why it has none. */
interface MeasuredStatement {
  readonly statement: ClaimStatement;
  readonly reading: string | null;
  readonly lacking: readonly string[];
  readonly rounds: readonly RoundPair[];
  /** Null without rounds. */
  readonly estimate: LogEstimate | null;
  /** Why this machine is too small for it; then it is not judged. */
  readonly small: string | null;
}

/** A claim's statements in all their readings are one family of tests. */
function judgeStatements(evidence: ClaimEvidence): readonly StatementResult[] {
  const { claim } = evidence.design;
  const measured = claim.statements.flatMap((statement) =>
    readingsOf(claim, statement).map((reading): MeasuredStatement => {
      const lacking = [statement.from, statement.to].flatMap((id) => lackOf(id, reading, evidence) ?? []);
      const rounds = lacking.length > 0 ? [] : roundsOf(statement, reading, evidence);
      const estimate = rounds.length === 0 ? null : pairedLogRatio(rounds);
      const small = lackingFor(claim, statement, evidence.environment);
      return { statement, reading, lacking, rounds, estimate, small };
    }),
  );
  const family = measured.filter(({ estimate, small }) => estimate !== null && small === null);
  const tested = family.flatMap(({ statement: { kind, claimedRatio }, estimate }) =>
    estimate === null ? [] : [{ kind, claimedRatio, estimate }],
  );
  const judgedAll = judgeRatios(tested);
  const verdicts = judgedAll.values();
  const counts = roundsToDecide(
    family.map(({ statement, rounds }, index) =>
      judgedAll[index]?.verdict === 'undecided'
        ? { rounds, bounds: boundsOf(statement), widest: supportWidthMax }
        : null,
    ),
  ).values();
  return measured.map(({ statement: stated, reading, lacking, estimate, small }): StatementResult => {
    const { statement, kind, wording, claimedRatio } = stated;
    const said = { statement, kind, wording, reading, claimedRatio };
    if (estimate === null) {
      const because = lacking.length > 0 ? lacking.join('; ') : 'its cells have no round in common';
      return { ...said, measured: null, verdict: 'not measured', because };
    }
    const { ratio, ci95 } = ratioEstimateOf(estimate);
    const logError = ci95 === null ? null : estimate.error;
    const shown = { ...said, measured: { ratio, ci95, logError } };
    if (small !== null) return { ...shown, verdict: 'not measurable here', because: small };
    const judged = verdicts.next().value;
    const count = counts.next().value ?? null;
    if (judged === undefined) throw new RangeError('a statement that was tested has no verdict');
    if (judged.verdict !== 'undecided') return { ...shown, ...judged };
    return { ...shown, ...judged, ...timeToDecide(count, judged.because, evidence) };
  });
}

function timeToDecide(
  rounds: number | null,
  because: string,
  { plan, elapsedMs }: ClaimEvidence,
): Pick<StatementResult, 'because' | 'toDecide'> {
  if (rounds === null) return { because, toDecide: null };
  const seconds = (rounds * elapsedMs) / 1000 / plan.rounds.length;
  const text = `${because}; about ${rounds} rounds (${inWords(seconds)}) would probably decide it, if they deviate as these did`;
  return { because: text, toDecide: { rounds, seconds } };
}

/** How this run differs from the claim, whatever the verdict. */
function differencesOf({ design: { claim }, plan, cells }: ClaimEvidence): string[] {
  const { breaks, figures, settings, windowSeconds } = claim;
  const windows = cells.flatMap((cell) => (cell.status === 'ok' ? cell.windowMs : []));
  const ends = windows.length === 0 ? [plan.timing.windowMs] : [Math.min(...windows), Math.max(...windows)];
  const seconds = [...new Set(ends.map((ms) => Number((ms / 1000).toPrecision(2))))];
  const isSameWindow = windowSeconds === null || seconds.every((each) => each === windowSeconds);
  const open = Map.groupBy(
    figures.flatMap(({ either }) => either ?? []),
    ({ readings, why }) => `${readings.join(' or ')}: ${why}`,
  );
  return [
    ...(isSameWindow ? [] : [`windows took ${seconds.join(' to ')} s here, ${windowSeconds} s in the claim`]),
    ...[...open.keys()].map((text) => `the source leaves open ${text}`),
    ...settings
      .filter(({ is }) => is === 'assumed')
      .map(({ setting, values, where }) => `assumed: ${settingText(setting, values)}: ${where}`),
    ...(breaks.length === 0
      ? []
      : [
          `the claim's own settings, used here, break ${breaks.map(({ rule }) => rule).join(', ')} (FAIR-BENCHMARK.md)`,
        ]),
  ];
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}

/** Why a figure has no number in this run, or null when it has one. */
function lackOf(id: string, reading: string | null, { design, cells }: ClaimEvidence): string | null {
  const label = design.claim.figures.find((one) => one.id === id)?.label ?? id;
  const planned = plannedFigure(design.figures, id, reading);
  const cellId = planned?.cellId ?? null;
  if (cellId === null) return `${label}: ${planned?.notes[0] ?? 'no target here corresponds to it'}`;
  const cell = cells.find((one) => one.id === cellId);
  if (cell === undefined) return `${label}: it is not part of this run`;
  return cell.status === 'ok' ? null : `${label}: ${cell.status}: ${cell.reason}`;
}

function roundsOf(
  { from, to }: ClaimStatement,
  reading: string | null,
  { design, trials }: ClaimEvidence,
): readonly RoundPair[] {
  const passed = trials.filter(isPassed).filter(({ tps }) => tps > 0);
  const [baseline, contender] = [from, to].map((id) => plannedFigure(design.figures, id, reading)?.cellId);
  return passed
    .filter(({ cellId }) => cellId === baseline)
    .flatMap(({ round, tps }) => {
      const same = passed.find((trial) => trial.cellId === contender && trial.round === round);
      return same === undefined ? [] : [{ baseline: tps, contender: same.tps }];
    });
}

function figureResult(
  { id, reading, cellId, notes }: ClaimDesign['figures'][number],
  evidence: ClaimEvidence,
): ClaimResult['figures'] {
  const figure = evidence.design.claim.figures.find((one): one is Claim['figures'][number] => one.id === id);
  if (figure === undefined) return [];
  const cell = evidence.cells.find((one) => one.id === cellId);
  const lack = cellId === null ? null : lackOf(id, reading, evidence);
  return [
    {
      label: figure.label,
      reading,
      claimedTps: figure.tps,
      where: figure.where,
      cellId,
      measuredTps: cell?.status === 'ok' ? cell.tps.mean : null,
      ci95: cell?.status === 'ok' ? cell.tps.ci95 : null,
      note: [...(lack === null ? [] : [lack]), ...notes].join('; '),
    },
  ];
}
