import {
  type CellSummary,
  type Claim,
  type ClaimDesign,
  type ClaimResult,
  type ClaimStatement,
  type RunPlan,
  type TrialRecord,
  isHeld,
  pairedRatio,
} from '@fair-bench/results';

/**
 * A claim holds when the interval of the measured ratio reaches this share of the claimed one: another machine
 * moves a ratio, and "about 14 times" is no promise of 14.0.
 */
const holdsFrom = 0.8;

type StatementResult = NonNullable<ClaimResult['statements']>[number];
type Measured = StatementResult['measured'];

export interface ClaimEvidence {
  readonly design: ClaimDesign;
  readonly plan: RunPlan;
  readonly cells: readonly CellSummary[];
  readonly trials: readonly TrialRecord[];
}

/** What a run says of a claim: pure. The headline is the claim's first statement. */
export function judgeClaim(evidence: ClaimEvidence): ClaimResult {
  const { claim } = evidence.design;
  const statements = claim.statements.map((statement) => judgeStatement(statement, evidence));
  const [headline] = statements;
  if (headline === undefined) throw new RangeError(`claim ${claim.name}: no statement`);
  const { statement, claimedRatio, measured, verdict, because } = headline;
  return {
    name: claim.name,
    statement,
    source: claim.source,
    date: claim.date,
    claimedRatio,
    measured,
    verdict,
    because,
    statements,
    breaks: claim.breaks,
    figures: claim.figures.map((figure) => figureResult(figure, evidence)),
  };
}

function judgeStatement(statement: ClaimStatement, evidence: ClaimEvidence): StatementResult {
  const { design, plan } = evidence;
  const said = { statement: statement.statement, claimedRatio: statement.claimedRatio };
  const lacking = [statement.from, statement.to].flatMap((id) => lackOf(id, evidence) ?? []);
  if (lacking.length > 0) {
    return { ...said, measured: null, verdict: 'not measured', because: lacking.join('; ') };
  }
  const measured = ratioOf(cellOf(statement.from, design), cellOf(statement.to, design), evidence);
  if (measured === null) {
    return { ...said, measured: null, verdict: 'not measured', because: 'its cells have no round in common' };
  }
  return { ...said, measured, ...verdictOn(statement, measured, design.claim, plan) };
}

function verdictOn(
  { claimedRatio }: ClaimStatement,
  { ratio, ci95 }: NonNullable<Measured>,
  { breaks, windowSeconds }: Claim,
  { timing }: RunPlan,
): Pick<StatementResult, 'verdict' | 'because'> {
  const [low, high] = ci95 ?? [ratio, ratio];
  // A claim that something costs speed is as strong the further below 1 it is.
  const holds = claimedRatio >= 1 ? high >= claimedRatio * holdsFrom : low <= claimedRatio / holdsFrom;
  const more = claimedRatio >= 1 && low > claimedRatio ? ', and so more than claimed' : '';
  const figures = `claimed ${show(claimedRatio)} ×, measured ${show(ratio)} × here${more}`;
  const window =
    windowSeconds === null || windowSeconds * 1000 === timing.windowMs
      ? ''
      : `; timed ${timing.windowMs / 1000} s a trial, the claim ${windowSeconds} s`;
  if (!holds) return { verdict: 'not reproduced', because: `${figures}${window}` };
  if (breaks.length === 0) return { verdict: 'reproduced', because: `${figures}${window}` };
  const rules = breaks.map(({ rule }) => rule).join(', ');
  return {
    verdict: 'only under conditions',
    because: `${figures}, under the claim's own settings alone, which break ${rules}${window}`,
  };
}

/** Why a figure has no number in this run, or null when it has one. */
function lackOf(id: string, { design, cells }: ClaimEvidence): string | null {
  const figure = design.claim.figures.find((one) => one.id === id);
  const planned = design.figures.find((one) => one.id === id);
  const label = figure?.label ?? id;
  const cellId = planned?.cellId ?? null;
  if (cellId === null) return `${label}: ${planned?.notes[0] ?? 'nothing here stands for it'}`;
  const cell = cells.find((one) => one.id === cellId);
  if (cell === undefined) return `${label}: it is no part of this run`;
  return cell.status === 'ok' ? null : `${label}: ${cell.status}: ${cell.reason}`;
}

function cellOf(id: string, { figures }: ClaimDesign): string {
  return figures.find((one) => one.id === id)?.cellId ?? '';
}

function ratioOf(from: string, to: string, { trials }: ClaimEvidence): Measured {
  const held = trials.filter(isHeld).filter(({ tps }) => tps > 0);
  const rounds = held
    .filter(({ cellId }) => cellId === from)
    .flatMap(({ round, tps: baseline }) => {
      const same = held.find((trial) => trial.cellId === to && trial.round === round);
      return same === undefined ? [] : [{ baseline, contender: same.tps }];
    });
  if (rounds.length === 0) return null;
  const { ratio, ci95 } = pairedRatio(rounds);
  return { ratio, ci95 };
}

function figureResult(
  { id, label, tps, where }: Claim['figures'][number],
  evidence: ClaimEvidence,
): ClaimResult['figures'][number] {
  const planned = evidence.design.figures.find((one) => one.id === id);
  const cell = evidence.cells.find((one) => one.id === planned?.cellId);
  const cellId = planned?.cellId ?? null;
  const lack = cellId === null ? null : lackOf(id, evidence);
  const said = planned?.notes ?? ['nothing here stands for it'];
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
