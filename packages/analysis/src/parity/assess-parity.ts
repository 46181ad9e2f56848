import { type Difference, type ParityRow, type Verdict, isPassed } from '@fair-bench/results';
import type { Assessment } from './assessment.ts';
import { assessCountingRules } from './counting-rules.ts';
import { assessServerCores } from './cores-rule.ts';
import { assessEqualRules } from './equal-rules.ts';
import { evidenceOf, type ParityInput } from './evidence.ts';
import { assessDurabilityBasis, assessLiveFacts } from './live-facts-rule.ts';
import { assessObservedRules } from './observed-rules.ts';
import { assessProfiles } from './profile-rules.ts';
import { assessCold } from './cold-rule.ts';
import { assessMemory } from './memory-rule.ts';
import { rules } from './rules.ts';
import { assessTls } from './tls-rule.ts';
import { assessShownRules } from './shown-rules.ts';

export interface Parity {
  readonly rows: ParityRow[];
  readonly verdict: Pick<Verdict, 'fair' | 'differences'>;
}

/**
 * Compares plan, facts and counts of all measured targets by the numbered rules of FAIR-BENCHMARK.md. Pure. Targets
 * without a reading of facts do not count; a single target is judged by the rules that need more than equality. Fair is
 * a verdict: a mode never sets it, and a run without a number is not fair. Only optimized mode changes rules, those on load and durability.
 */
export function assessParity(input: ParityInput): Parity {
  const evidence = evidenceOf(input);
  if (evidence.length === 0) return { rows: [], verdict: verdictOf([nothingMeasured(input)]) };
  const assessments = [
    ...assessEqualRules(evidence, input.plan),
    ...assessCountingRules(evidence),
    assessServerCores(evidence),
    ...assessMemory(evidence),
    ...assessCold(evidence),
    ...assessTls(evidence),
    assessLiveFacts(evidence),
    assessDurabilityBasis(evidence),
    ...assessProfiles(evidence, input.plan.mode),
    ...assessShownRules(evidence),
    ...assessObservedRules(evidence),
  ].toSorted(byRule);
  const unmeasured = isMeasured(input) ? [] : [nothingMeasured(input)];
  const differences = [...assessments.flatMap(({ difference }) => difference ?? []), ...unmeasured];
  return { rows: assessments.map(({ row }) => row), verdict: verdictOf(differences) };
}

function verdictOf(differences: Difference[]): Parity['verdict'] {
  return { fair: differences.length === 0, differences };
}

/** Whether a cell has a number: a cell with a void has none. */
function isMeasured({ trials }: ParityInput): boolean {
  const cells = [...Map.groupBy(trials, ({ cellId }) => cellId).values()];
  return cells.some((own) => own.some(isPassed) && own.every(({ status }) => status !== 'void'));
}

function nothingMeasured({ plan }: ParityInput): Difference {
  return {
    rule: rules.verdict,
    subject: 'measured targets',
    values: Object.fromEntries(plan.targets.map(({ target }) => [target, 'not measured'])),
    message: 'nothing was measured',
  };
}

function byRule(a: Assessment, b: Assessment): number {
  return Number(a.row.rule.slice(1)) - Number(b.row.rule.slice(1));
}
