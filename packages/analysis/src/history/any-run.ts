import {
  type CellSummary,
  type Comparison,
  type IndexedRun,
  intervalOfNextRun,
  isEndOf,
  type LogEstimate,
  type RunSummary,
  type Search,
  sampleMean,
  tFactor,
} from '@fair-bench/results';
import { deviationsBetweenRuns, type KnownDeviation } from './deviation.ts';

interface Numbers extends Pick<RunSummary, 'run' | 'cells' | 'comparisons'> {
  readonly search: readonly Search[];
}

type AnyRun = NonNullable<Comparison['anyRun']>;

/**
 * Gives the numbers of a run prediction intervals of the next run of the same work on its machine: rounds of one run say nothing
 * about what differs between runs (Kalibera & Jones, ISMM 2013: repetition at the highest level that varies), so earlier runs do. The deviation
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
      const { mean, trials } = cell.tps;
      const between = deviations.ofCell(cell.id);
      // What an open loop reaches is what it was offered: the machine decides little of it.
      if (between.runs === 0 && cell.openLoop !== undefined) return cell;
      return { ...cell, tps: { ...cell.tps, anyRun: anyRunOf(mean, ownOf(trials), between) } };
    }),
    comparisons: comparisons.map((comparison): Comparison => {
      const idOf = (end: 'baseline' | 'contender'): string =>
        cells.find((cell) => isEndOf(comparison, end, cell))?.id ?? '';
      const between = deviations.ofRatio(idOf('baseline'), idOf('contender'));
      return { ...comparison, anyRun: anyRunOf(comparison.ratio, ownOfRatio(comparison), between) };
    }),
  };
}

function anyRunOf(value: number, own: LogEstimate, between: KnownDeviation): AnyRun {
  const { deviation, runs } = between;
  return { ci95: intervalOfNextRun(value, own, between), deviation, runs };
}

/** A trial that applied nothing has no logarithm. */
function ownOf(trials: readonly number[]): LogEstimate {
  const applied = trials.filter((tps) => tps > 0);
  return applied.length === 0 ? unknown : sampleMean(applied.map(Math.log));
}

const unknown: LogEstimate = { mean: 0, error: 0, degrees: 0 };

/** Read back from the interval. */
function ownOfRatio({ ratio, ci95, rounds }: Comparison): LogEstimate {
  if (ci95 === null || rounds < 2) return unknown;
  const half = Math.log(ci95[1] / ratio);
  return { mean: Math.log(ratio), error: half / tFactor(rounds - 1), degrees: rounds - 1 };
}
