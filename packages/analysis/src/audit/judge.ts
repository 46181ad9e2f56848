import { checks } from './checks/index.ts';
import type { Judgement, TrialEvidence } from './evidence.ts';

export { type Check, type Judgement, type TrialEvidence } from './evidence.ts';

/** Judges a trial by every rule. It passes when no judgement is a void. */
export function judge(evidence: TrialEvidence): readonly Judgement[] {
  return checks.flatMap((check) => check(evidence));
}
