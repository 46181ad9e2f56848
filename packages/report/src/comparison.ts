import { typedCommand } from '@fair-bench/contract';
import type { NoiseFloor } from '@fair-bench/results';
import { assumedDeviation, type BesideFair, type CellChange, describeNoiseFloor } from '@fair-bench/analysis';
import { formatRatio, plural } from './sections/format.ts';
import { left, right, tableOf } from './sections/section.ts';
import { renderTable } from './terminal-table.ts';

export interface Comparison {
  readonly before: string;
  readonly after: string;
  readonly settings: readonly string[];
  readonly changes: readonly CellChange[];
  readonly regressions: number;
  readonly noiseFloor: NoiseFloor | null;
}

type Compared = Extract<CellChange, { kind: 'compared' }>;

/** The comparison of two runs as text. */
export function renderComparison(comparison: Comparison, width: number): string {
  const { before, after, settings, changes, regressions, noiseFloor } = comparison;
  const compared = changes.filter((change) => change.kind === 'compared');
  const others = changes.filter((change) => change.kind !== 'compared');
  const parts = [
    `First:  ${before}\nSecond: ${after}`,
    settings.length === 0
      ? 'Environment, targets and facts are the same.'
      : `Other differences, which may explain the numbers:\n${bullets(settings)}`,
    ...(compared.length === 0 ? [] : [renderTable(tableOf(columns, compared), width)]),
    ...(others.length === 0
      ? []
      : [`Not compared:\n${bullets(others.map(({ kind, id, reason }) => `${id}: ${kind}, ${reason}`))}`]),
    describeMethod(compared),
    noiseFloor === null
      ? 'Noise floor: not measured by either run; npm run bench:aa measures it.'
      : describeNoiseFloor(noiseFloor),
    regressions === 0 ? 'No regression.' : `REGRESSION: ${plural(regressions, 'cell')} slower or lost.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A fair run beside an optimized one (F42) as text. */
export function renderBesideFair(
  {
    before,
    after,
    found,
  }: { readonly before: string; readonly after: string; readonly found: readonly BesideFair[] },
  width: number,
): string {
  const slower = found.filter(({ isSlower }) => isSlower).length;
  const parts = [
    `Fair:      ${before}\nOptimized: ${after}`,
    ...(found.length === 0 ? [] : [renderTable(tableOf(besideColumns, found), width)]),
    found.length === 0
      ? 'No system was measured by both at one combination.'
      : slower === 0
        ? 'F42 holds: no system is slower at its best point than in fair mode.'
        : `F42 IS BROKEN: ${plural(slower, 'system')} slower at its best point than in fair mode.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const besideColumns = [
  left<BesideFair>('system', ({ system }) => system),
  left<BesideFair>('fair', ({ fair }) => fair),
  left<BesideFair>('optimized', ({ optimized }) => optimized),
  right<BesideFair>('optimized ÷ fair', ({ change }) => `${formatRatio(change.ratio)} ×`),
  left<BesideFair>('95 % interval', ({ change: { ci95 } }) =>
    ci95 === null ? 'one trial: none' : `[${formatRatio(ci95[0])}, ${formatRatio(ci95[1])}]`,
  ),
  left<BesideFair>('result', ({ isSlower }) => (isSlower ? 'SLOWER' : 'not slower')),
];

const words: Readonly<Record<Compared['result'], string>> = {
  none: 'not significant',
  noise: 'noise: below the noise floor',
  faster: 'faster',
  slower: 'SLOWER',
};

const columns = [
  left<Compared>('cell', ({ id }) => id),
  right<Compared>('second ÷ first', ({ change }) => `${formatRatio(change.ratio)} ×`),
  left<Compared>('95 % interval', ({ change: { ci95 } }) =>
    ci95 === null ? 'one trial: none' : `[${formatRatio(ci95[0])}, ${formatRatio(ci95[1])}]`,
  ),
  left<Compared>('between runs', ({ between: { deviation, runs } }) =>
    runs === 0 ? 'assumed' : `${(deviation * 100).toPrecision(2)} % of ${plural(runs, 'run')}`,
  ),
  left<Compared>('result', ({ result }) => words[result]),
];

function describeMethod(compared: readonly Compared[]): string {
  const isAssumed = compared.some(({ between: { runs } }) => runs === 0);
  return (
    'Method: ratio of the geometric means of the trials’ throughputs, with the wider one of two 95 % intervals: ' +
    'Welch’s of the trials, and that of the deviation between runs of the same cell in results/ on this machine. ' +
    'Significance is corrected for all cells (Holm): of comparisons without any change, at most one in twenty has a ' +
    `false alarm.${isAssumed ? assumption : ''}`
  );
}

const assumption =
  ` Fewer than three other runs: the deviation between runs is assumed to be ${assumedDeviation * 100} %. To compare two ` +
  `targets side by side, use ${typedCommand('compare', ['--interleave', 'TARGET', 'TARGET'])}.`;

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `  - ${line}`).join('\n');
}
