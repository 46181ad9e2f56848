import type { Observed } from '@fair-bench/results';
import { type Assessment, assessShown, valuesBy } from './assessment.ts';
import type { TargetEvidence } from './evidence.ts';
import { rules } from './rules.ts';

const notObserved = 'not observed';

/** What was seen of every target from outside of its sessions. A trial in which it was not as it should be has no number. */
export function assessObservedRules(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  return [
    assessShown(
      rules.durability,
      'acknowledged operations visible to another connection at once',
      valuesBy(evidence, visibleAtOnce),
    ),
    assessShown(rules.durability, 'done when the window ended', valuesBy(evidence, doneAtWindowEnd)),
    assessShown(rules.liveFacts, 'settings while the load ran', valuesBy(evidence, settings)),
  ];
}

function visibleAtOnce({ trials }: TargetEvidence): string {
  const all = seen(trials, ({ canaries }) => canaries);
  const read = sum(all.map((one) => one.read));
  if (read === 0) return notObserved;
  const delays = all.flatMap(({ readAfterMsMax }) => readAfterMsMax ?? []);
  const within = delays.length === 0 ? '' : `, read within ${Math.max(...delays).toFixed(1)} ms`;
  return `${sum(all.map(({ visible }) => visible))} of ${read}${within}`;
}

function doneAtWindowEnd({ trials }: TargetEvidence): string {
  const all = seen(trials, ({ committedAtWindowEnd }) => committedAtWindowEnd);
  return all.length === 0
    ? notObserved
    : `all that was acknowledged, in ${all.length} of ${trials.length} trials`;
}

function settings({ trials }: TargetEvidence): string {
  const all = seen(trials, (one) => one.settings);
  if (all.length === 0) return notObserved;
  return `no change in ${sum(all.map(({ readings }) => readings))} readings`;
}

function seen<Part>(
  trials: TargetEvidence['trials'],
  part: (observed: Observed) => Part | null,
): readonly Part[] {
  return trials.map(({ observed }) => part(observed)).filter((one) => one !== null);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
