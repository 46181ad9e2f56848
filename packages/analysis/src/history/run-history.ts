import { isDeepStrictEqual } from 'node:util';
import {
  meanOf,
  type IndexedCell,
  type IndexedRun,
  type MeanEstimate,
  quantityWithInterval,
  significanceLevel,
  workOf,
} from '@fair-bench/results';
import { changePointsOf } from './change-points.ts';
import { logMeanOf } from './means.ts';

/** A cell of a target over the runs of one machine, the earliest first. */
export interface Series {
  readonly id: string;
  readonly points: readonly SeriesPoint[];
  readonly changes: readonly Change[];
}

interface SeriesPoint {
  readonly run: IndexedRun;
  readonly cell: IndexedCell;
  readonly tps: MeanEstimate;
  /** The geometric mean of the runs between two changes. */
  readonly level: number;
}

interface Change {
  /** The first point after it. */
  readonly at: number;
  /** Throughput after it ÷ before it. */
  readonly ratio: number;
  readonly pValue: number;
  /** What else changed between the two runs, in words. */
  readonly differs: readonly string[];
}

export interface TargetHistory {
  readonly target: string;
  readonly machine: IndexedRun['machine'];
  readonly series: readonly Series[];
  /** Runs of the target that other machines made. */
  readonly elsewhere: number;
}

/**
 * A target over the runs of the machine that made its newest run. Each series is tested at 5 % ÷ their number, so all
 * together have a false change with a probability of at most 5 %. Null without a run of the target.
 */
export function historyOf(runs: readonly IndexedRun[], target: string): TargetHistory | null {
  const measured = runs.filter(({ cells }) => cells.some((cell) => cell.target === target));
  const machine = measured.at(-1)?.machine;
  if (machine === undefined) return null;
  const here = measured.filter((run) => isDeepStrictEqual(run.machine, machine));
  const points = here.flatMap((run) =>
    run.cells.flatMap((cell) => (cell.target === target ? [{ run, cell }] : [])),
  );
  const works = Map.groupBy(points, ({ cell }) => workOf(cell));
  const level = significanceLevel / works.size;
  const series = [...works.values()].map((ofWork) => seriesOf(ofWork, level));
  return { target, machine, series, elsewhere: measured.length - here.length };
}

type MeasuredPoint = Pick<SeriesPoint, 'run' | 'cell'>;

function seriesOf(measured: readonly MeasuredPoint[], level: number): Series {
  const logs = measured.map(({ cell }) => logMeanOf(cell));
  const found = changePointsOf(logs, level);
  const edges = [0, ...found.map(({ at }) => at), logs.length];
  const means = edges.slice(1).map((end, index) => meanOf(logs.slice(edges[index], end)));
  return {
    id: measured[0]?.cell.bestOf ?? measured[0]?.cell.id ?? '',
    points: measured.map(({ run, cell }, index) => ({
      run,
      cell,
      tps: quantityWithInterval(cell.trials),
      level: Math.exp(means[found.filter(({ at }) => at <= index).length] ?? 0),
    })),
    changes: found.map(({ at, pValue }, index) => ({
      at,
      pValue,
      ratio: Math.exp((means[index + 1] ?? 0) - (means[index] ?? 0)),
      differs: differences(measured[at - 1], measured[at]),
    })),
  };
}

function differences(before: MeasuredPoint | undefined, after: MeasuredPoint | undefined): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const parts = ({ run, cell }: MeasuredPoint): readonly (readonly [string, string])[] => [
    ['cell', cell.id],
    ['version', cell.version],
    ['commit', run.commit ?? 'unknown'],
    ['mode', run.mode],
    ['warm-up', `${run.warmupMs} ms`],
    ['window', `${run.windowMs} ms`],
    ['rounds', String(cell.trials.length)],
  ];
  const now = new Map(parts(after));
  return parts(before).flatMap(([name, was]) => {
    const is = now.get(name);
    return is === was ? [] : [`${name} ${was} → ${is}`];
  });
}
