import type { CellSummary, ClaimResult, Explanation, RunPlan, Study, TrialRecord } from '@fair-bench/results';
import { judgeClaim } from '../claims/judge-claim.ts';
import { explainTrials } from '../explain/explain.ts';

export interface StudyResults {
  readonly explanation?: Explanation;
  readonly claim?: ClaimResult;
}

/** What the trials say of a study: pure. A gap of which an end has no number has no explanation. */
export function concludeStudy(
  { explain, claim }: Study,
  run: {
    readonly plan: RunPlan;
    readonly cells: readonly CellSummary[];
    readonly trials: readonly TrialRecord[];
    readonly elapsedMs: number;
  },
): StudyResults {
  const explanation = explain === undefined ? null : explainTrials(explain, run.plan, run.trials);
  return {
    ...(explanation === null ? {} : { explanation }),
    ...(claim === undefined ? {} : { claim: judgeClaim({ design: claim, ...run }) }),
  };
}
