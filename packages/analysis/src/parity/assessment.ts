import type { Difference, ParityRow } from '@fair-bench/results';
import type { Facts } from '@fair-bench/contract';
import type { TargetEvidence } from './evidence.ts';

/** One rule applied to all targets: its line of the table, and the difference when it does not hold. */
export interface Assessment {
  readonly row: ParityRow;
  readonly difference: Difference | null;
}

export type Values = Readonly<Record<string, string>>;

/** @param broken why the rule does not hold, in words; null when it does. */
export function assess(
  line: Pick<ParityRow, 'rule' | 'subject' | 'kind' | 'bases'>,
  values: Values,
  broken: string | null,
): Assessment {
  const { rule, subject } = line;
  const row = { ...line, holds: broken === null, values };
  return { row, difference: broken === null ? null : { rule, subject, values, message: broken } };
}

/** What must be the same for all: the rule holds when all targets have one value. */
export function assessEqual(rule: ParityRow['rule'], subject: string, values: Values): Assessment {
  const isEqual = new Set(Object.values(values)).size <= 1;
  const broken = isEqual ? null : `${subject} must be the same for all: ${inWords(values)}`;
  return assess({ rule, subject, kind: 'equal' }, values, broken);
}

/** What differs by nature and must only be shown. */
export function assessShown(rule: ParityRow['rule'], subject: string, values: Values): Assessment {
  return assess({ rule, subject, kind: 'shown' }, values, null);
}

/** One value for each target. */
export function valuesBy(
  evidence: readonly TargetEvidence[],
  value: (evidence: TargetEvidence) => string,
): Values {
  return Object.fromEntries(evidence.map((one) => [one.target, value(one)]));
}

/** What a target said over all its readings: `on`, or `on → off` where it changed. */
export function overReadings({ readings }: TargetEvidence, value: (facts: Facts) => string): string {
  return [...new Set(readings.map(({ facts }) => value(facts)))].join(' → ');
}

export function inWords(values: Values): string {
  return Object.entries(values)
    .map(([target, value]) => `${target} has ${value}`)
    .join('; ');
}

/** How the values of these targets are known, where a target did not report its own. */
export function basesOf(
  evidence: readonly TargetEvidence[],
  isRequested: (evidence: TargetEvidence) => boolean,
): Pick<ParityRow, 'bases'> {
  const requested = evidence.filter((one) => one.basis.status !== 'read' && isRequested(one));
  if (requested.length === 0) return {};
  return { bases: Object.fromEntries(requested.map(({ target, basis }) => [target, basis])) };
}
