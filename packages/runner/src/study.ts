import type { Cell, CellSummary, ClaimResult, Explanation, RunPlan } from '@fair-bench/contract';
import { type ClaimDesign, judgeClaim } from './claims/index.ts';
import { type ExplainDesign, explainTrials } from './explain/index.ts';
import type { UnavailableCell } from './report/target-outcome.ts';
import type { TrialRecord } from './report/trial-record.ts';

/** What a run is to tell beside its cells: a gap taken apart, a claim judged. Each part is an artifact. */
export interface Study {
  /** `explain.json` */
  readonly explain?: ExplainDesign;
  /** `claim.json` */
  readonly claim?: ClaimDesign;
}

export interface StudyResults {
  readonly explanation?: Explanation;
  readonly claim?: ClaimResult;
}

/**
 * The cells between two ends of which one cannot be had: nothing can be told by them, so that they are not
 * measured. Empty where both ends can be measured, or none is asked for.
 */
export function pointlessCells(
  { explain }: Study,
  { cells }: RunPlan,
  isMeasurable: (cell: Cell) => boolean,
): readonly UnavailableCell[] {
  if (explain === undefined) return [];
  const last = 2 ** explain.changes.length - 1;
  const ends = explain.cells.filter(({ mask }) => mask === 0 || mask === last);
  const lost = cells.filter((cell) => ends.some(({ cellId }) => cellId === cell.id) && !isMeasurable(cell));
  if (lost.length === 0) return [];
  const reason = `an end of the gap could not be had: ${lost.map(({ id }) => id).join(', ')}`;
  return cells
    .filter(isMeasurable)
    .map(({ id }) => ({ cellId: id, reason, remedy: 'see that both ends can be had, and run again' }));
}

/** What the trials say of it: pure. A gap of which an end has no number has no explanation. */
export function concludeStudy(
  { explain, claim }: Study,
  run: {
    readonly plan: RunPlan;
    readonly cells: readonly CellSummary[];
    readonly trials: readonly TrialRecord[];
  },
): StudyResults {
  const explanation = explain === undefined ? null : explainTrials(explain, run.plan, run.trials);
  return {
    ...(explanation === null ? {} : { explanation }),
    ...(claim === undefined ? {} : { claim: judgeClaim({ design: claim, ...run }) }),
  };
}
