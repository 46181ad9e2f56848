import { type Observed, sum } from '@fair-bench/results';
import { type Assessment, assess, assessShown, valuesBy } from './assessment.ts';
import type { TargetEvidence } from './evidence.ts';
import { describeReadings } from './reading-delay.ts';
import { rules } from './rules.ts';

const notObserved = 'not observed';

/** What was observed of every target from outside its sessions. A trial that fails these has no number. */
export function assessObservedRules(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  return [
    assessShown(
      rules.durability,
      'acknowledged operations visible to another connection at once',
      valuesBy(evidence, visibleAtOnce),
    ),
    assessShown(rules.durability, 'done when the window ended', valuesBy(evidence, doneAtWindowEnd)),
    assessShown(
      rules.durability,
      'readings of the work done',
      valuesBy(
        evidence,
        ({ trialsWithNumber }) => describeReadings(trialsWithNumber) ?? 'not observed: any lead',
      ),
    ),
    assessShown(
      rules.durability,
      'commits visible to others before they were flushed',
      valuesBy(evidence, visibleUnflushed),
    ),
    assessShown(rules.durability, 'rows that one transaction wrote last', valuesBy(evidence, rowsOfOne)),
    assessOutstanding(evidence),
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

function visibleUnflushed({ trials }: TargetEvidence): string {
  const all = seen(trials, ({ unflushed }) => unflushed);
  if (all.length === 0) return notObserved;
  const found = sum(all.map((one) => one.found.length));
  return `${found === 0 ? 'none' : 'some'} in ${sum(all.map(({ looks }) => looks))} looks`;
}

function rowsOfOne({ trials }: TargetEvidence): string {
  const all = seen(trials, ({ lastWriters }) => lastWriters).flatMap(({ tables }) => tables);
  const names = [...new Set(all.map(({ name }) => name))];
  if (names.length === 0) return notObserved;
  const mostOf = (name: string): number =>
    Math.max(...all.flatMap((table) => (table.name === name ? table.rowsMost : [])));
  return `at most ${names.map((name) => `${mostOf(name)} of ${name}`).join(', ')}`;
}

function settings({ trials }: TargetEvidence): string {
  const all = seen(trials, (one) => one.settings);
  if (all.length === 0) return notObserved;
  return `no change in ${sum(all.map(({ readings }) => readings))} readings`;
}

/** Depth that queues in the client does not count, whatever the plan says. */
function assessOutstanding(evidence: readonly TargetEvidence[]): Assessment {
  const line = {
    rule: rules.depth,
    subject: 'requests outstanding of a session, seen on the wire',
    kind: 'equal',
  } as const;
  const short: string[] = [];
  const values = valuesBy(evidence, ({ target, cells, trials }) => {
    const depths = new Map(cells.map(({ id, depth }) => [id, depth]));
    const depthOf = (cellId: string): number => depths.get(cellId) ?? 1;
    const byDepth = trials.toSorted((a, b) => depthOf(a.cellId) - depthOf(b.cellId));
    const texts = byDepth.map(({ cellId, observed: { outstandingOnWire } }) => {
      const depth = depthOf(cellId);
      if (outstandingOnWire === null) return notObserved;
      const text = `${outstandingOnWire} of ${depth}`;
      if (outstandingOnWire < depth) short.push(`${target} has ${text}`);
      return text;
    });
    return [...new Set(texts)].join(', ');
  });
  const broken =
    short.length === 0 ? null : `the depth must reach the server: ${[...new Set(short)].join('; ')}`;
  return assess(line, values, broken);
}

function seen<Part>(
  trials: TargetEvidence['trials'],
  part: (observed: Observed) => Part | null,
): readonly Part[] {
  return trials.map(({ observed }) => part(observed)).filter((one) => one !== null);
}
