import { tlsSetting } from '@fair-bench/contract';
import { type Assessment, assess, inWords, overReadings, valuesBy } from './assessment.ts';
import type { TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

const notSaid = 'not said';

/**
 * Sessions of all targets are encrypted, or none. Two servers at URLs may differ: how a service is reached is its own, and the line
 * shows it. No line where nobody says it; a target that does not say it does not count.
 */
export function assessTls(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  const values = valuesBy(evidence, (one) =>
    overReadings(one, ({ settings }) => settings[tlsSetting] ?? notSaid),
  );
  const said = evidence.filter(({ target }) => values[target] !== notSaid);
  if (said.length === 0) return [];
  const isByUrl = said.every(({ readings }) => readings.every(({ facts }) => facts.provider === 'url'));
  const isEqual = new Set(said.map(({ target }) => values[target])).size <= 1;
  const broken =
    isEqual || isByUrl
      ? null
      : `the sessions of all targets must be encrypted, or of none: ${inWords(values)}`;
  return [assess({ rule: rules.tls, subject: 'encryption of the sessions', kind: 'equal' }, values, broken)];
}
