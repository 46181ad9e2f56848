import {
  type CellSummary,
  type Comparison,
  type IndexedRun,
  intervalOfAnyRun,
  isEndOf,
  type RunSummary,
  type Search,
} from '@fair-bench/results';
import { deviationsBetweenRuns, type KnownDeviation } from './deviation.ts';

interface Numbers extends Pick<RunSummary, 'run' | 'cells' | 'comparisons'> {
  readonly search: readonly Search[];
}

type AnyRun = NonNullable<Comparison['anyRun']>;

/**
 * The numbers of a run with intervals that hold for any run on its machine: rounds of one run say nothing about what differs
 * between runs (Kalibera & Jones, ISMM 2013: repetition at the highest level that varies), so earlier runs do. The deviation
 * is assumed where they are too few, but not of an open loop. Pure.
 */
export function withAnyRun(
  numbers: Numbers,
  earlier: readonly IndexedRun[],
): Pick<RunSummary, 'cells' | 'comparisons'> {
  const { cells, comparisons } = numbers;
  const deviations = deviationsBetweenRuns(earlier, numbers);
  return {
    cells: cells.map((cell): CellSummary => {
      if (cell.status !== 'ok') return cell;
      const { mean, ci95 } = cell.tps;
      const between = deviations.ofCell(cell.id);
      // What an open loop reaches is what it was offered: the machine decides little of it.
      if (between.runs === 0 && cell.openLoop !== undefined) return cell;
      return { ...cell, tps: { ...cell.tps, anyRun: anyRunOf(mean, ci95, between) } };
    }),
    comparisons: comparisons.map((comparison): Comparison => {
      const idOf = (end: 'baseline' | 'contender'): string =>
        cells.find((cell) => isEndOf(comparison, end, cell))?.id ?? '';
      const between = deviations.ofRatio(idOf('baseline'), idOf('contender'));
      return { ...comparison, anyRun: anyRunOf(comparison.ratio, comparison.ci95, between) };
    }),
  };
}

function anyRunOf(value: number, own: Comparison['ci95'], between: KnownDeviation): AnyRun {
  const { deviation, runs } = between;
  return { ci95: intervalOfAnyRun(value, own, between), deviation, runs };
}
