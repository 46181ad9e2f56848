import type { RunSummary, SoakSlope, SoakSummary } from '@fair-bench/results';
import { absent, formatNumber, formatOptional, formatSeconds, plural } from './format.ts';
import { type ColumnOf, left, optional, right, type Section, type Table, tableOf } from './section.ts';

type Found = NonNullable<SoakSummary['found']>;
type Row = NonNullable<Found['events']>[number] & { readonly target: string };

/** How cells kept their throughput over a long load. */
export function soakSection({ soak = [] }: RunSummary): readonly Section[] {
  if (soak.length === 0) return [];
  const lines = [
    'One load on servers that are started and seeded once. After each slice it stops for the audit: every row is compared with what was acknowledged, and the next slice goes on from these rows. Numbers are of the seconds of passed slices, without the first ones of each, until throughput is steady.',
    'TPS: applied operations in the middle second. Drift: its change in an hour, as a share of it, with its 95 % interval (Theil–Sen, widened for neighbours that are alike). Memory: of the servers, or of the load client with the engine in it, in MiB by the hour; files likewise. Silence: the longest time without any reply.',
    ...soak.flatMap(({ target, reasons }) => reasons.map((reason) => `${target}, void: ${reason}`)),
    ...soak.flatMap(againOf),
  ];
  return [{ title: 'Soak', lines, table: tableOf([...columns, ...more], soak) }, ...eventsSection(soak)];
}

/** For the first screen; null in other runs. */
export function soakTable({ soak = [] }: RunSummary): Table | null {
  return soak.length === 0 ? null : tableOf(columns, soak);
}

/** What a reader should know first. */
export function soakFindings(soak: readonly SoakSummary[] = []): readonly string[] {
  return soak.flatMap(({ target, found, slices }) => {
    if (found === null) return [];
    const { drift, events } = found;
    const drifts =
      drift === null || !isApart(drift)
        ? []
        : [
            `${target} became ${drift.perHour < 0 ? 'slower' : 'faster'} by ${percent(Math.abs(drift.perHour))} of its throughput in an hour (${slopeText(drift, percent)}).`,
          ];
    const costs = (events ?? []).flatMap(({ name, count, cost }) =>
      cost === null || ((cost.p99Ratio ?? 1) < 1.5 && cost.tpsRatio > 0.9)
        ? []
        : [
            `${target}: in the ten seconds after a ${name} (${formatNumber(count)} of them) throughput was ${formatNumber(cost.tpsRatio)} × that of other seconds${cost.p99Ratio === null ? '' : `, and the p99 ${formatNumber(cost.p99Ratio)} ×`}.`,
          ],
    );
    const voids =
      slices.void === 0
        ? []
        : [`${target}: ${plural(slices.void, 'slice')} of ${slices.void + slices.passed} void.`];
    return [...voids, ...drifts, ...costs];
  });
}

function againOf({ target, seededAgain }: SoakSummary): readonly string[] {
  return seededAgain === 0
    ? []
    : [
        `${target}: seeded again ${plural(seededAgain, 'time')}, because its rows were not known after a slice.`,
      ];
}

function eventsSection(soak: readonly SoakSummary[]): readonly Section[] {
  const rows = soak.flatMap(({ target, found }) =>
    (found?.events ?? []).map((event) => ({ target, ...event })),
  );
  const silent = soak.filter(({ found }) => found !== null && found.events === null);
  if (rows.length === 0 && silent.length === 0) return [];
  const table = tableOf(
    [
      left<Row>('target', ({ target }) => target),
      left<Row>('work', ({ name }) => name),
      right<Row>('times', ({ count }) => formatNumber(count)),
      right<Row>('TPS after ÷ others', ({ cost }) => (cost === null ? absent : formatNumber(cost.tpsRatio))),
      right<Row>('p99 after ÷ others', ({ cost }) => formatOptional(cost?.p99Ratio ?? null)),
    ],
    rows,
  );
  const lines = [
    'What the system says it did, and the ten seconds after it against all others; a dash where nearly all seconds are such.',
    ...silent.map(({ target }) => `${target} does not say what it does in the background.`),
  ];
  return [{ title: 'Background work', lines, table: rows.length === 0 ? null : table }];
}

const columns: readonly ColumnOf<SoakSummary>[] = [
  left('target', ({ target }) => target),
  right(
    'under load',
    ofFound(({ loadedS }) => formatSeconds(loadedS * 1_000)),
  ),
  right(
    'TPS',
    ofFound(({ tpsMedian }) => formatNumber(tpsMedian)),
  ),
  right(
    'drift per hour',
    ofFound(({ drift }) => slopeText(drift, percent)),
  ),
  right(
    'worst second',
    ofFound(({ worst }) => formatNumber(worst.tps)),
  ),
  right(
    'p99 ms',
    ofFound(({ p99MsMedian }) => (p99MsMedian === null ? absent : formatNumber(p99MsMedian))),
  ),
  right(
    'silence',
    ofFound(({ silence }) => formatSeconds(silence.ms)),
  ),
  right(
    'memory MiB/h',
    ofFound(({ memoryMb }) => slopeText(memoryMb, formatNumber)),
  ),
  right(
    'files MiB/h',
    ofFound(({ filesMb }) => slopeText(filesMb, formatNumber)),
  ),
];

const more: readonly ColumnOf<SoakSummary>[] = [
  right('slices', ({ slices }) => String(slices.passed)),
  optional(right('void', ({ slices }) => (slices.void === 0 ? absent : String(slices.void)))),
  right(
    'applied',
    ofFound(({ applied }) => formatNumber(applied)),
  ),
  optional(
    right(
      'faults',
      ofFound(({ faults }) => (faults === 0 ? absent : formatNumber(faults))),
    ),
  ),
  right(
    'worst at',
    ofFound(({ worst }) => formatSeconds(worst.atS * 1_000)),
  ),
  right(
    'silence at',
    ofFound(({ silence }) => formatSeconds(silence.atS * 1_000)),
  ),
];

function ofFound(text: (found: Found) => string): (summary: SoakSummary) => string {
  return ({ found }) => (found === null ? 'void' : text(found));
}

/** `−3.1 % (−5 to −1.2)`; a dash without enough to tell. */
function slopeText(slope: SoakSlope, text: (value: number) => string): string {
  if (slope === null) return absent;
  const [low, high] = slope.ci95;
  return `${text(slope.perHour)} (${text(low)} to ${text(high)})`;
}

function percent(share: number): string {
  return `${formatNumber(share * 100)} %`;
}

function isApart({ ci95: [low, high] }: NonNullable<SoakSlope>): boolean {
  return low > 0 || high < 0;
}
