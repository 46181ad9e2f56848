import { isDeepStrictEqual } from 'node:util';
import {
  type IndexedRun,
  indexedRunOf,
  meanOf,
  type RunDeviation,
  type RunSummary,
  significanceLevel,
  workOf,
} from '@fair-bench/results';
import { changePointsOf } from './change-points.ts';
import { logMeanOf } from './means.ts';

/** The deviation of a cell between runs, and what it is known from. */
export type KnownDeviation = RunDeviation & {
  /** Runs of before; 0 where the deviation is assumed. */
  readonly runs: number;
};

/** The assumed deviation between runs on a machine without history. */
export const assumedDeviation = 0.1;
const degreesMin = 2;

/** How far one run's work differs between the other runs of its machine; all standard deviations are of logarithms. */
export interface DeviationsBetweenRuns {
  /** Of a cell's throughput. */
  readonly ofCell: (id: string) => KnownDeviation;
  /** Of the ratio of two cells of one run. */
  readonly ofRatio: (baselineId: string, contenderId: string) => KnownDeviation;
}

/**
 * By the runs that did the same work with the same timing on the same machine. A deviation is taken around the levels
 * between change points, so that a real change is not counted as noise; assumed where fewer than three runs are known.
 * @param compared runs that do not contribute.
 */
export function deviationsBetweenRuns(
  runs: readonly IndexedRun[],
  of: Parameters<typeof indexedRunOf>[2],
  compared: readonly Pick<RunSummary, 'run'>[] = [],
): DeviationsBetweenRuns {
  const own = indexedRunOf('', 0, of);
  const works = new Map(own.cells.map((cell) => [cell.id, workOf(cell)]));
  const logMeansOfRuns = runs
    .filter((run) => isAlike(run, own) && !compared.some((one) => one.run.startedAt === run.startedAt))
    .map(({ cells }) => new Map(cells.map((cell) => [workOf(cell), logMeanOf(cell)])));
  /** By run; nothing for one without this work. */
  const logsOf = (id: string): readonly (number | undefined)[] => {
    const work = works.get(id);
    return logMeansOfRuns.map((means) => (work === undefined ? undefined : means.get(work)));
  };
  return {
    ofCell: (id) => deviationOfLogs(logsOf(id).flatMap((log) => log ?? [])),
    ofRatio: (baselineId, contenderId) => {
      const baseline = logsOf(baselineId);
      const ratios = logsOf(contenderId).flatMap((contender, run) => {
        const other = baseline[run];
        return contender === undefined || other === undefined ? [] : [contender - other];
      });
      return deviationOfLogs(ratios);
    },
  };
}

function isAlike({ machine, warmupMs, windowMs }: IndexedRun, to: IndexedRun): boolean {
  return isDeepStrictEqual(machine, to.machine) && windowMs === to.windowMs && warmupMs === to.warmupMs;
}

function deviationOfLogs(logs: readonly number[]): KnownDeviation {
  const edges = [0, ...changePointsOf(logs, significanceLevel).map(({ at }) => at), logs.length];
  const squares = edges.slice(1).map((end, index) => {
    const segment = logs.slice(edges[index], end);
    const mean = meanOf(segment);
    return segment.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  });
  const degrees = logs.length - squares.length;
  if (degrees < degreesMin) return { kind: 'assumed', deviation: assumedDeviation, runs: 0 };
  const sum = squares.reduce((total, square) => total + square, 0);
  return { kind: 'seen', deviation: Math.sqrt(sum / degrees), degrees, runs: logs.length };
}
