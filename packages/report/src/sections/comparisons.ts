import type { Comparison, RunSummary } from '@fair-bench/results';
import { describeNoiseFloor } from '@fair-bench/analysis';
import { axisColumns, byCommits, byCombination } from './axes.ts';
import { absent, assumedMark, bracketed, formatRatio, ratioText } from './format.ts';
import { type ColumnOf, left, optional, right, type Section, tableOf } from './section.ts';

export function comparisonsSection(summary: RunSummary): readonly Section[] {
  const { comparisons } = summary;
  if (comparisons.length === 0) return [];
  return byCommits(comparisons).map(({ title, items }, index) => {
    const rows = byCombination(items);
    const table = tableOf([...axisColumns(rows), ...comparisonColumns], rows);
    return { title: `Comparisons${title}`, lines: index === 0 ? explainRatios(summary) : [], table };
  });
}

/** The meaning of a ratio, and what applies to all of them. */
export function explainRatios({ verdict, noiseFloor, comparisons }: RunSummary): readonly string[] {
  return [
    'Contender ÷ baseline: geometric mean of the ratios of the rounds, with its 95 % interval. Significance is corrected for all comparisons of the table (Holm): at most one table in twenty has a false alarm.',
    ...(comparisons.some(({ anyRun }) => anyRun !== undefined)
      ? [
          'Any run: the same with the deviation between earlier runs of this work on this machine; * assumed where fewer than three tell it.',
        ]
      : []),
    'Server CPU per operation: the same ratio of the CPU time of application server and database, without the load client.',
    ...(noiseFloor === undefined ? [] : [describeNoiseFloor(noiseFloor)]),
    ...(verdict.fair
      ? []
      : [`${verdict.label}: these ratios compare targets that were not measured under the same rules.`]),
  ];
}

type ComparedPoint = NonNullable<Comparison['points']>['baseline'];

/** One row of a table of comparisons. */
export const comparisonColumns: readonly ColumnOf<Comparison>[] = [
  left('baseline', ({ baseline, of, points }) => endText(baseline, of, points?.baseline)),
  left('contender', ({ contender, of, points }) => endText(contender, of, points?.contender)),
  right('ratio', ({ ratio }) => `${formatRatio(ratio)} ×`, 'ratio'),
  left('95 % interval', interval, 'ratio'),
  optional(
    left(
      'next run',
      ({ anyRun }) => (anyRun === undefined ? absent : `${bracketed(anyRun.ci95)}${assumedMark(anyRun)}`),
      'ratio',
    ),
  ),
  left(
    'difference',
    (one) =>
      `${differenceText(one)}${one.of === 'profiles' ? ' (of two tuning profiles)' : ''}${one.disturbed === true ? ', disturbed' : ''}`,
  ),
  left('server CPU per operation', ({ serverCpu }) =>
    serverCpu === undefined ? absent : ratioText(serverCpu),
  ),
];

/** If a pair differs by its load client, the target's name includes it. */
function endText(target: string, of: Comparison['of'], point: ComparedPoint | undefined): string {
  return of === 'clients' && point !== undefined ? `${target} by ${point.client}` : target;
}

function interval({ ci95 }: Comparison): string {
  return ci95 === null ? 'one round: none' : bracketed(ci95);
}

/** Whether a comparison shows a difference; the same words in every output. */
function differenceText({ ratio, ci95, significant, belowNoiseFloor }: Comparison): string {
  if (!significant && ci95 !== null && (ci95[0] > 1 || ci95[1] < 1)) return 'not significant in this table';
  if (!significant) return 'not significant';
  if (belowNoiseFloor === true) return 'below the noise floor';
  return ratio > 1 ? 'contender faster' : 'contender slower';
}
