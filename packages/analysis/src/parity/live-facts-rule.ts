import { describeStorage, type Facts, typedCommand } from '@fair-bench/contract';
import { basisWords } from '@fair-bench/results';
import { type Assessment, assess, inWords, basesOf, valuesBy } from './assessment.ts';
import { isReadOnly, nothingWritten, type TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

const unchanged = 'unchanged';

/** Facts that change because a cell sets its own pool. */
const ofThePool: readonly string[] = ['appServer.poolSizePerProcess', 'writersMax'];

/** Facts are read before and after each trial and must not change, except pools that a cell sets itself. */
export function assessLiveFacts(evidence: readonly TargetEvidence[]): Assessment {
  const values = valuesBy(evidence, describeChanges);
  const others = Object.entries(values).filter(([, value]) => value !== unchanged);
  const broken =
    others.length === 0
      ? null
      : `facts must not change while a target is measured: ${inWords(Object.fromEntries(others))}`;
  const subject = 'facts before and after each trial';
  return assess({ rule: rules.liveFacts, subject, kind: 'equal' }, values, broken);
}

/**
 * Durability must come from the live system or from observation: our own request is no evidence. Weaker levels need
 * no evidence, and neither does a workload that commits nothing. Settings of a live system whose storage is not seen are no
 * broken rule, but no observation either: the verdict's line says so.
 */
export function assessDurabilityBasis(evidence: readonly TargetEvidence[]): Assessment {
  const values = valuesBy(evidence, (one) => {
    const known = isOfSettings(one) ? settingsAlone : basisWords[one.basis.status];
    return isReadOnly(one) ? `${known}; ${nothingWritten}` : known;
  });
  const others = evidence.filter(
    (one) =>
      one.basis.status === 'requested' &&
      !isOfSettings(one) &&
      !isReadOnly(one) &&
      one.readings.some(({ facts }) => facts.durability === 'durable'),
  );
  const broken =
    others.length === 0
      ? null
      : `durability must be read from the live system or observed: ${others.map(({ target, basis }) => `${target}: ${basis.because}`).join('; ')}; ${remedyOf(others)}`;
  const bases = basesOf(evidence, () => true);
  const subject = 'what durability is known by';
  return assess({ rule: rules.liveFacts, subject, kind: 'equal', ...bases }, values, broken);
}

const settingsAlone = 'requested: settings read, storage not seen';

function isOfSettings({ basis }: TargetEvidence): boolean {
  return basis.status === 'requested' && basis.isStorageUnknown === true;
}

function remedyOf(unshown: readonly TargetEvidence[]): string {
  const killable = unshown.filter(({ basis }) => basis.status === 'requested' && basis.killTestCouldShow);
  if (killable.length > 0) {
    return `${typedCommand('kill-test', ['--systems', killable.map(({ planned }) => planned.connector).join(',')])} may show it`;
  }
  return 'it can be observed on Linux, on a disk that counts flushes and that nothing else writes to';
}

function describeChanges({ readings, cells }: TargetEvidence): string {
  const planned = cells.some(({ poolSize }) => poolSize !== undefined) ? ofThePool : [];
  const changes = readings.slice(1).flatMap(({ when, facts }, index) => {
    const before = readings[index];
    return before === undefined
      ? []
      : changesBetween(before.facts, facts, planned).map((change) => `${change} (${when})`);
  });
  return changes.length === 0 ? unchanged : changes.join(', ');
}

function changesBetween(before: Facts, after: Facts, planned: readonly string[]): readonly string[] {
  const [old, current] = [comparable(before), comparable(after)];
  return [...new Set([...old.keys(), ...current.keys()])]
    .filter((name) => old.get(name) !== current.get(name) && !planned.includes(name))
    .map((name) => `${name}: ${old.get(name) ?? 'absent'} → ${current.get(name) ?? 'absent'}`);
}

/** Facts as flat names and texts, without the directories: a restarted target has new ones. */
function comparable(facts: Facts): ReadonlyMap<string, string> {
  const { storage, ...others } = facts;
  return new Map([...flatten('', others), ['storage', describeStorage(storage)]]);
}

function flatten(path: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) =>
    flatten(path === '' ? key : `${path}.${key}`, inner),
  );
}
