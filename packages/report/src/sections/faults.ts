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
    'Lost: acknowledged, and not in the rows. Doubled: acknowledged once, carried out twice. In doubt: never answered, so either is right. First: until an operation that was sent after the fault began was applied. 90 %: until half a second with 90 % of the throughput before. By hand: trials in which a server had to be started again. A power cut leaves what was flushed, as POSIX promises it: a file without its flushed directory is gone; real file systems often keep more.',
    ...losses(faults),
    ...reasonsOf(faults),
  ];
  return [{ title: 'Faults', lines, table: tableOf([...columns, ...more], faults) }];
}

/** For the first screen; null without a fault. */
export function faultsTable({ faults = [] }: RunSummary): Table | null {
  return faults.length === 0 ? null : tableOf(columns, faults);
}

/** What was lost or doubled, in sentences: the first that a reader should know. */
export function losses(faults: readonly FaultSummary[] = []): readonly string[] {
  return faults.flatMap(({ target, fault, found, durability }) => {
    if (found === null) return [];
    const { lossy, doubling, gone } = found;
    const trials = found.kept + lossy + doubling + gone + found.undecided;
    const named = `${target}${durability === null ? '' : ` (${durability})`}`;
    const count = (number: number | null): string =>
      number === null ? 'acknowledged operations' : plural(number, 'acknowledged operation');
    return [
      ...(gone === 0
        ? []
        : [
            `${named} did not start again on its data after ${gone} of ${trials} ${plural(trials, wordsOf(fault)).replace(/^\S+ /, '')}.`,
          ]),
      ...(lossy === 0
        ? []
        : [`${named} lost ${count(found.lost)} in ${lossy} of ${trials} trials with ${wordsOf(fault)}.`]),
      ...(doubling === 0
        ? []
        : [
            `${named} carried out ${count(found.doubled)} twice in ${doubling} of ${trials} trials with ${wordsOf(fault)}.`,
          ]),
    ];
  });
}

function reasonsOf(faults: readonly FaultSummary[]): readonly string[] {
  return faults.flatMap(({ target, fault, reasons, void: voids }) =>
    reasons.map((reason) => `${target}, ${wordsOf(fault)}${voids > 0 ? `, ${voids} void` : ''}: ${reason}`),
  );
}

function wordsOf(fault: FaultSummary['fault']): string {
  return fault.replaceAll('-', ' ');
}

const columns: readonly ColumnOf<FaultSummary>[] = [
  left('target', ({ target }) => target),
  left('fault', ({ fault, lengthMs }) =>
    lengthMs === 0 ? wordsOf(fault) : `${wordsOf(fault)} ${formatSeconds(lengthMs)}`,
  ),
  right(
    'lost',
    ofFound((found) => countOr(found.lost, found.gone > 0 ? 'all' : 'some')),
  ),
  right(
    'doubled',
    ofFound((found) => countOr(found.doubled, absent)),
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

function countOr(count: number | null, otherwise: string): string {
  return count === null ? otherwise : formatNumber(count);
}

/** `0.48, 0.61`: the middle trial and the worst, in seconds; one where they are equal. */
function pair(times: { readonly median: number; readonly worst: number } | null): string {
  if (times === null) return 'not in the window';
  const [median, worst] = [formatNumber(times.median / 1_000), formatNumber(times.worst / 1_000)];
  return median === worst ? median : `${median}, ${worst}`;
}

function errorsOf({ errors }: Found): string {
  const words = Object.entries(errors).map(([code, count]) => `${code} ${formatNumber(count)}`);
  return words.length === 0 ? absent : words.join(', ');
}
