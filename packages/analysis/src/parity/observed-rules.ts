import { statementProtocolSchema } from '@fair-bench/contract';
import { type Observed, sum } from '@fair-bench/results';
import { type Assessment, assess, assessShown, valuesBy } from './assessment.ts';
import { isReadOnly, nothingWritten, type TargetEvidence } from './evidence.ts';
import { describeReadings } from './reading-delay.ts';
import { rules } from './rules.ts';

const notObserved = 'not observed';

/** What was observed of every target from outside its sessions. A trial that fails these has no number. */
export function assessObservedRules(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  return [
    ofWrites(evidence, 'acknowledged operations visible to another connection at once', visibleAtOnce),
    ofWrites(evidence, 'operations of the load visible to another connection at once', naturalVisible),
    ofWrites(evidence, 'done when the window ended', doneAtWindowEnd),
    ofWrites(
      evidence,
      'readings of the work done',
      ({ trialsWithNumber }) => describeReadings(trialsWithNumber) ?? 'not observed: any lead',
    ),
    assessShown(
      rules.declines,
      'operations that the state at their time must decline, and may decline',
      valuesBy(evidence, declines),
    ),
    ofWrites(evidence, 'commits visible to others before they were flushed', visibleUnflushed),
    ofWrites(evidence, 'rows that one transaction wrote last', rowsOfOne),
    assessOutstanding(evidence),
    assessShown(
      rules.statementProtocol,
      'statement protocol as the server saw it',
      valuesBy(evidence, protocols),
    ),
    assessShown(rules.liveFacts, 'settings while the load ran', valuesBy(evidence, settings)),
    ...assessPoolers(evidence),
  ];
}

/** Where nothing is written, each of these holds for nothing. */
function ofWrites(
  evidence: readonly TargetEvidence[],
  subject: string,
  value: (evidence: TargetEvidence) => string,
): Assessment {
  const values = valuesBy(evidence, (one) => (isReadOnly(one) ? nothingWritten : value(one)));
  return assessShown(rules.durability, subject, values);
}

/** Which protocol a target must have is another line's; a trial in which the server saw another has no number. */
function protocols({ trials }: TargetEvidence): string {
  const all = seen(trials, (one) => one.protocols);
  const counts = statementProtocolSchema.options.flatMap((protocol) => {
    const count = sum(all.map((one) => one[protocol]));
    return count === 0 ? [] : [`${protocol} in ${count}`];
  });
  return counts.length === 0 ? notObserved : `${counts.join(', ')} sampled calls`;
}

function visibleAtOnce({ trials }: TargetEvidence): string {
  const all = seen(trials, ({ canaries }) => canaries);
  const read = sum(all.map((one) => one.read));
  if (read === 0) return notObserved;
  const delays = all.flatMap(({ readAfterMsMax }) => readAfterMsMax ?? []);
  const within = delays.length === 0 ? '' : `, read within ${Math.max(...delays).toFixed(1)} ms`;
  return `${sum(all.map(({ visible }) => visible))} of ${read}${within}`;
}

/** A trial whose readings were answered too late to see a lead of one latency has seen nothing. */
function naturalVisible({ trials }: TargetEvidence): string {
  const all = seen(trials, ({ natural }) => natural ?? null);
  const seeing = all.filter(({ seesLatency }) => seesLatency);
  const delays = all.flatMap(({ readAfterMs }) => readAfterMs?.median ?? []);
  const after = delays.length === 0 ? '' : `read ${Math.max(...delays).toFixed(1)} ms after`;
  if (seeing.length === 0)
    return after === '' ? notObserved : `${notObserved}: ${after}, no sooner than a mean latency`;
  const judged = sum(seeing.map((one) => one.judged));
  const inTrials = seeing.length === trials.length ? '' : `, in ${seeing.length} of ${trials.length} trials`;
  const late = sum(all.map((one) => one.late ?? 0));
  const others = late === 0 ? '' : `; ${late} more were answered too late to count`;
  return `${sum(seeing.map(({ visible }) => visible))} of ${judged}, ${after}${inTrials}${others}`;
}

function declines({ trials }: TargetEvidence): string {
  const all = trials.flatMap(({ audit }) => audit?.declines ?? []);
  if (all.length === 0) return 'nothing was declined';
  const of = (kind: 'certain' | 'possible'): string =>
    sum(all.map((one) => one[kind])).toLocaleString('en-US');
  return `${of('certain')} must, ${of('possible')} may`;
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

/** A line where one of the targets has a pooler. */
function assessPoolers(evidence: readonly TargetEvidence[]): readonly Assessment[] {
  const isPooled = ({ readings }: TargetEvidence): boolean =>
    readings.some(({ facts }) => facts.pooler !== undefined);
  if (!evidence.some(isPooled)) return [];
  const values = valuesBy(evidence, (one) => {
    if (!isPooled(one)) return 'no pooler';
    const all = seen(one.trials, ({ pooling }) => pooling);
    if (all.length === 0) return notObserved;
    const most = Math.max(...all.map(({ pooledMost }) => pooledMost));
    return `at most ${most} of the pooler’s process, and no session past it, in ${sum(all.map(({ looks }) => looks))} looks`;
  });
  return [assessShown(rules.pooler, 'connections to the database, by their other end', values)];
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
