import type { CellSummary, ClaimResult, Explanation, RunPlan } from '@fair-bench/contract';
import { type ClaimDesign, judgeClaim } from './claims/index.ts';
import { type ExplainDesign, explainTrials } from './explain/index.ts';
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
