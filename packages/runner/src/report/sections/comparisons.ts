import type { Comparison, RunSummary } from '@fair-bench/contract';
import { describeNoiseFloor } from '../../noise-floor/index.ts';
import { byCombination, combinationColumns } from './combination-columns.ts';
import { formatRatio } from './format.ts';
import { type ColumnOf, left, right, type Section, tableOf } from './section.ts';

export function comparisonsSection({ comparisons, verdict, noiseFloor }: RunSummary): readonly Section[] {
  if (comparisons.length === 0) return [];
  const rows = byCombination(comparisons);
  const lines = [
    'Contender ÷ baseline: geometric mean of the ratios of the rounds, with its 95 % interval. A difference is told only when the interval excludes 1.',
    ...(noiseFloor === undefined ? [] : [describeNoiseFloor(noiseFloor)]),
    ...(verdict.fair
      ? []
      : [`${verdict.label}: these ratios compare targets that were not measured under the same rules.`]),
  ];
  return [{ title: 'Comparisons', lines, table: tableOf([...combinationColumns(rows), ...columns], rows) }];
}

const columns: readonly ColumnOf<Comparison>[] = [
  left('baseline', ({ baseline }) => baseline),
  left('contender', ({ contender }) => contender),
  right('ratio', ({ ratio }) => `${formatRatio(ratio)} ×`, 'ratio'),
  left('95 % interval', interval, 'ratio'),
  left('told', told),
];

function interval({ ci95 }: Comparison): string {
  return ci95 === null ? 'one round: none' : `[${formatRatio(ci95[0])}, ${formatRatio(ci95[1])}]`;
}

/** What a comparison comes to, in the words of every output. */
export function told({ ratio, significant, belowNoiseFloor }: Comparison): string {
  if (!significant) return 'no difference told';
  if (belowNoiseFloor === true) return 'noise: below the noise floor';
  return ratio > 1 ? 'contender faster' : 'contender slower';
}
