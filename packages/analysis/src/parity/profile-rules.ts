import type { Facts, FairSetting } from '@fair-bench/contract';
import type { Mode } from '@fair-bench/results';
import { type Assessment, assess, overReadings, basesOf } from './assessment.ts';
import type { TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

/** One line for each setting of the written fair profiles, with every target whose profile names it. */
export function assessProfiles(evidence: readonly TargetEvidence[], mode: Mode): readonly Assessment[] {
  const settings = evidence.flatMap((one) =>
    one.fairProfile
      .filter((line) => one.readings.some(({ facts }) => applies(line, facts)))
      .map(({ setting }) => setting),
  );
  return [...new Set(settings)].map((setting) => assessSetting(evidence, setting, mode));
}

function assessSetting(evidence: readonly TargetEvidence[], setting: string, mode: Mode): Assessment {
  const lines = evidence.flatMap((one) => {
    const line = one.fairProfile.find((candidate) => candidate.setting === setting);
    if (line === undefined) return [];
    return [{ one, line, accepted: acceptedOf(one, line, mode), value: liveValue(one, setting) }];
  });
  const values = Object.fromEntries(lines.map(({ one, value }) => [one.target, value]));
  const differing = lines.filter(({ one, line, accepted }) => !isAccepted(one, line, accepted));
  const broken = differing.map(
    ({ one, line, accepted, value }) =>
      `${one.target} has ${value} where its fair profile accepts ${accepted.join(' or ')}: ${line.reason}`,
  );
  const message = broken.length === 0 ? null : `${setting}: ${broken.join('; ')}`;
  const bases = basesOf(
    lines.map(({ one }) => one),
    ({ readings }) => readings.some(({ facts }) => facts.requested?.[setting] !== undefined),
  );
  return assess({ rule: rules.fairProfile, subject: setting, kind: 'profile', ...bases }, values, message);
}

function liveValue(one: TargetEvidence, setting: string): string {
  return overReadings(one, (facts) => valueOf(facts, setting) ?? 'absent');
}

/** Async commits have their own table in optimized mode only; in other modes they are a difference. */
function acceptedOf({ planned }: TargetEvidence, line: FairSetting, mode: Mode): readonly string[] {
  const isAsync = mode === 'optimized' && planned.durability === 'async';
  return isAsync ? (line.acceptedAsync ?? line.accepted) : line.accepted;
}

function applies({ when }: Pick<FairSetting, 'when'>, facts: Facts): boolean {
  return when === undefined || when.is.includes(valueOf(facts, when.setting) ?? '');
}

/** Every reading counts: a setting that was right at the end may have been wrong before. */
function isAccepted(
  { readings }: TargetEvidence,
  { setting, when }: FairSetting,
  accepted: readonly string[],
): boolean {
  return readings.every(({ facts }) => {
    if (!applies({ when }, facts)) return true;
    const value = valueOf(facts, setting);
    return value !== undefined && accepted.includes(value);
  });
}

/** As the live system reported it, otherwise as requested. */
function valueOf({ settings, requested = {} }: Facts, setting: string): string | undefined {
  return settings[setting] ?? requested[setting];
}
