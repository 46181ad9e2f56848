import type { FaultSummary, RunSummary } from '@fair-bench/results';
import { absent, formatNumber, formatSeconds, plural } from './format.ts';
import { type ColumnOf, left, optional, right, type Section, type Table, tableOf } from './section.ts';

type Found = NonNullable<FaultSummary['found']>;

/** What injected faults did: one table, system × fault. */
export function faultsSection(summary: RunSummary): readonly Section[] {
  const { faults = [] } = summary;
  if (faults.length === 0) return [];
  const rates = [...new Set(faults.flatMap(({ found }) => found?.ratePerSecond ?? []))];
  const lines = [
    `Each trial is a server of its own under an open loop${rates.length === 1 ? ` of ${formatNumber(rates[0] ?? 0)} operations per second` : ''}, the same before, during and after the fault: what was due while the server was away counts. After it every row is compared with what was acknowledged. Times are from the fault's beginning, the middle trial and the worst.`,
    'Lost: acknowledged, and not in the rows. Doubled: acknowledged once, carried out twice. + ?: in other trials the rows do not tell how many. In doubt: never answered, so either is right. First: until an operation that was sent after the fault began was applied. 90 %: until half a second with 90 % of the throughput before, after the last moment of the fault at which it was lower. By hand: trials in which a server had to be started again. A power cut leaves what was flushed, as POSIX promises it: a file without its flushed directory is gone; real file systems often keep more.',
    ...losses(faults),
    ...reasonsOf(faults),
  ];
  return [{ title: 'Faults', lines, table: tableOf([...columnsOf(faults), ...more], faults) }];
}

/** For the first screen; null without a fault. */
export function faultsTable({ faults = [] }: RunSummary): Table | null {
  return faults.length === 0 ? null : tableOf(columnsOf(faults), faults);
}

/** What was lost or doubled, in sentences: the first that a reader should know. */
export function losses(faults: readonly FaultSummary[] = []): readonly string[] {
  return faults.flatMap((summary) => {
    const { fault, found, durability } = summary;
    if (found === null) return [];
    const { kept, lossy, doubling, differing, undecided, gone, namesForgotten } = found;
    const trials = kept + lossy + doubling + differing + gone + undecided;
    const subject = `${nameOf(summary, faults)}${durability === null ? '' : ` (${durability})`}`;
    const sentence = (count: number, what: string): readonly string[] =>
      count === 0 ? [] : [`${subject} ${what} in ${count} of ${trials} trials with ${wordsOf(fault)}.`];
    const onStrictDisk =
      namesForgotten !== null && namesForgotten > 0
        ? ', on a disk that keeps a name only once its directory is flushed,'
        : '';
    return [
      ...sentence(gone, 'could not be read any more'),
      ...sentence(lossy, `lost ${plural(found.lost, 'acknowledged operation')}${onStrictDisk}`),
      ...sentence(doubling, `carried out ${plural(found.doubled, 'acknowledged operation')} twice`),
      ...sentence(differing, 'had rows or replies that what it acknowledged does not explain'),
    ];
  });
}

/** The target, or its cell where several cells of it had this fault. */
export function nameOf({ target, fault, cellId }: FaultSummary, all: readonly FaultSummary[]): string {
  const isAlone = all.filter((one) => one.target === target && one.fault === fault).length === 1;
  return isAlone ? target : cellId;
}

function reasonsOf(faults: readonly FaultSummary[]): readonly string[] {
  return faults.flatMap((summary) => {
    const { fault, reasons, void: voids } = summary;
    const subject = `${nameOf(summary, faults)}, ${wordsOf(fault)}${voids > 0 ? `, ${voids} void` : ''}`;
    return reasons.map((reason) => `${subject}: ${reason}`);
  });
}

export function wordsOf(fault: FaultSummary['fault']): string {
  return fault.replaceAll('-', ' ');
}

/** Columns of these rows: a name depends on the others. */
function columnsOf(faults: readonly FaultSummary[]): readonly ColumnOf<FaultSummary>[] {
  return [left('target', (summary) => nameOf(summary, faults)), ...columns];
}

const columns: readonly ColumnOf<FaultSummary>[] = [
  left('fault', ({ fault, lengthMs }) =>
    lengthMs === 0 ? wordsOf(fault) : `${wordsOf(fault)} ${formatSeconds(lengthMs)}`,
  ),
  right(
    'lost',
    ofFound((found) => countOr(found, found.lost)),
  ),
  right(
    'doubled',
    ofFound((found) => countOr(found, found.doubled)),
  ),
  right(
    'in doubt',
    ofFound(({ inDoubt }) => formatNumber(inDoubt)),
  ),
  right(
    'first s',
    ofFound(({ firstAppliedMs }) => pair(firstAppliedMs)),
  ),
  right(
    '90 % s',
    ofFound(({ recoveredMs }) => pair(recoveredMs)),
  ),
  right(
    'worst latency s',
    ofFound(({ latencyMsMax }) => pair(latencyMsMax)),
  ),
];

const more: readonly ColumnOf<FaultSummary>[] = [
  left('durability', ({ durability }) => durability ?? absent),
  right('trials', ({ trials, void: voids }) => (voids === 0 ? String(trials) : `${trials} (${voids} void)`)),
  right(
    'acknowledged',
    ofFound(({ acknowledged }) => formatNumber(acknowledged)),
  ),
  optional(left('errors', ofFound(errorsOf))),
  optional(
    right(
      'by hand',
      ofFound(({ byHand }) => (byHand === 0 ? absent : String(byHand))),
    ),
  ),
  optional(
    right(
      'not explained',
      ofFound(({ differing }) => (differing === 0 ? absent : String(differing))),
    ),
  ),
  optional(
    right(
      'unreadable',
      ofFound(({ gone }) => (gone === 0 ? absent : String(gone))),
    ),
  ),
  optional(
    right(
      'undecided',
      ofFound(({ undecided }) => (undecided === 0 ? absent : String(undecided))),
    ),
  ),
  optional(
    left(
      'example',
      ofFound(({ example }) => example ?? absent),
    ),
  ),
];

function ofFound(text: (found: Found) => string): (summary: FaultSummary) => string {
  return ({ found, void: voids }) => (found === null ? (voids > 0 ? 'void' : 'unavailable') : text(found));
}

/** A count of the trials whose rows tell it; with a mark where others do not. */
function countOr({ differing, undecided, gone }: Found, count: number): string {
  const others = differing + undecided + gone;
  return others === 0 ? formatNumber(count) : `${formatNumber(count)} + ?`;
}

/** `0.48, 0.61`: the middle trial and the worst, in seconds; one where they are equal. */
function pair(times: { readonly median: number; readonly worst: number } | null): string {
  if (times === null) return 'not in the window';
  const [median, worst] = [times.median, times.worst].map((ms) =>
    String(Number((ms / 1_000).toPrecision(2))),
  );
  return median === worst ? `${median}` : `${median}, ${worst}`;
}

function errorsOf({ errors }: Found): string {
  const words = Object.entries(errors).map(([code, count]) => `${code} ${formatNumber(count)}`);
  return words.length === 0 ? absent : words.join(', ');
}
