import { isDeepStrictEqual } from 'node:util';
import { type IndexedRun, meanOf, type RunDeviation, significanceLevel, workOf } from '@fair-bench/results';
import { changePointsOf } from './change-points.ts';
import { logMeanOf } from './means.ts';

/** The deviation of a cell between runs, and what it is known from. */
export interface KnownDeviation extends RunDeviation {
  /** Runs of before; 0 where the deviation is assumed. */
  readonly runs: number;
}

/** The assumed deviation between runs on a machine without history. */
export const assumedDeviation = 0.1;
/** A number of degrees at which Student's distribution is the normal one. */
const degreesOfKnown = 1e6;
const degreesMin = 2;

/**
 * The standard deviation, between runs, of the logarithm of a cell's throughput, for the same work with the same
 * timing on the same machine. It is taken around the levels between change points, so that a real change is not
 * counted as noise. The compared runs do not contribute. Assumed where fewer than three runs are known.
 */
export function deviationBetweenRuns(
  runs: readonly IndexedRun[],
  of: IndexedRun,
  cellId: string,
): KnownDeviation {
  return deviationOfLogs(alike(runs, of).flatMap((run) => sameWork(run, of, cellId) ?? []));
}

/** The same of the ratio of two cells of one run. */
export function ratioDeviationBetweenRuns(
  runs: readonly IndexedRun[],
  of: IndexedRun,
  baselineId: string,
  contenderId: string,
): KnownDeviation {
  const logs = alike(runs, of).flatMap((run) => {
    const [baseline, contender] = [sameWork(run, of, baselineId), sameWork(run, of, contenderId)];
    return baseline === null || contender === null ? [] : [contender - baseline];
  });
  return deviationOfLogs(logs);
}

/** Runs on the same machine with the same timing. */
function alike(runs: readonly IndexedRun[], of: IndexedRun): readonly IndexedRun[] {
  return runs.filter(
    ({ machine, warmupMs, windowMs }) =>
      isDeepStrictEqual(machine, of.machine) && windowMs === of.windowMs && warmupMs === of.warmupMs,
  );
}

/** The mean logarithm of the cell with the same work; null without one. */
function sameWork({ cells }: IndexedRun, of: IndexedRun, cellId: string): number | null {
  const cell = of.cells.find(({ id }) => id === cellId);
  const work = cell === undefined ? null : workOf(cell);
  const same = cells.find((one) => workOf(one) === work);
  return same === undefined ? null : logMeanOf(same);
}

function deviationOfLogs(logs: readonly number[]): KnownDeviation {
  const edges = [0, ...changePointsOf(logs, significanceLevel).map(({ at }) => at), logs.length];
  const squares = edges.slice(1).map((end, index) => {
    const segment = logs.slice(edges[index], end);
    const mean = meanOf(segment);
    return segment.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  });
  const degrees = logs.length - squares.length;
  if (degrees < degreesMin) return { deviation: assumedDeviation, degrees: degreesOfKnown, runs: 0 };
  const sum = squares.reduce((total, square) => total + square, 0);
  return { deviation: Math.sqrt(sum / degrees), degrees, runs: logs.length };
}
