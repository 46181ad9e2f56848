import type { Cell, SearchBounds } from '@fair-bench/results';
import { climb, type Point as Load } from './climb.ts';

/** A load, and the pool of the application server where it is searched for too. */
export type Point = Load & Pick<Cell, 'poolSize'>;

/** As many of the best points are tried at other pools. */
export const pooledMax = 4;

/** A point with the throughputs of its trials; none where one of them had no number. */
export interface Tried {
  readonly point: Point;
  readonly tps: readonly number[];
}

/** What was measured of every point so far. */
export class Trials {
  readonly #tried = new Map<string, { readonly point: Point; readonly tps: number[]; isVoid: boolean }>();

  /** Null is a trial without a number: its point has none any more. */
  add(point: Point, tps: number | null): void {
    const key = JSON.stringify([point.sessions, point.depth, point.poolSize]);
    const known = this.#tried.get(key) ?? { point, tps: [], isVoid: false };
    this.#tried.set(key, known);
    known.isVoid ||= tps === null;
    if (tps !== null) known.tps.push(tps);
  }

  /** In the order in which they were first tried. */
  all(): readonly Tried[] {
    return [...this.#tried.values()].map(({ point, tps, isVoid }) => ({ point, tps: isVoid ? [] : tps }));
  }

  /**
   * Those that have a number, the best first: of those with the most trials the fastest, because a point that was not
   * tried again may have been lucky.
   */
  ranked(): readonly Tried[] {
    return this.all()
      .filter(({ tps }) => tps.length > 0)
      .toSorted((a, b) => b.tps.length - a.tps.length || meanOf(b) - meanOf(a));
  }
}

/**
 * Looks for the best point of the grid by throughputs that vary from trial to trial: every point once, or where the grid
 * has more than `pointsMax` points a climb; then the best of them at the other pools; then, rung by rung, the best of those again, fewer points and more trials
 * each time (successive halving: Karnin, Koren & Somekh, ICML 2013). Yields the point to measure next and takes its
 * throughput, null for a trial without a number. Returns the best point; null when none had a number.
 */
export function* findBest(
  bounds: SearchBounds,
  start: Point,
  trials: Trials,
): Generator<Point, Point | null, number | null> {
  function* measure(point: Point): Generator<Point, number | null, number | null> {
    const tps = yield point;
    trials.add(point, tps);
    return tps;
  }
  yield* firstPass(bounds, start, measure);
  const others = bounds.pools.filter((poolSize) => poolSize !== start.poolSize);
  for (const { point } of trials.ranked().slice(0, others.length === 0 ? 0 : pooledMax)) {
    for (const poolSize of others) yield* measure({ ...point, poolSize });
  }
  for (const rung of bounds.rungs) {
    const standing = trials.ranked().slice(0, rung.points);
    // There is nothing to choose from.
    if (standing.length < 2) break;
    for (let trial = 0; trial < rung.trials; trial += 1)
      for (const { point } of standing) yield* measure(point);
  }
  return trials.ranked()[0]?.point ?? null;
}

/** The mean throughput of a point that has one. */
export function meanOf({ tps }: Tried): number {
  return tps.reduce((sum, one) => sum + one, 0) / tps.length;
}

/**
 * In which of its coordinates a point lies at an end of what was searched, although there is more beyond it: one session
 * and depth 1 are the least that there is.
 */
export function edgesOf(
  { sessions, depths, pools }: Pick<SearchBounds, 'sessions' | 'depths' | 'pools'>,
  point: Point,
): ('sessions' | 'depth' | 'pool')[] {
  const isEdge = (values: readonly number[], at: number): boolean =>
    values.length > 1 && (at === values.at(-1) || (at === values[0] && at > 1));
  return [
    ...(isEdge(sessions, point.sessions) ? (['sessions'] as const) : []),
    ...(isEdge(depths, point.depth) ? (['depth'] as const) : []),
    ...(isEdge(pools, point.poolSize ?? 0) ? (['pool'] as const) : []),
  ];
}

type Measure = (point: Point) => Generator<Point, number | null, number | null>;

function* firstPass(
  bounds: SearchBounds,
  start: Point,
  measure: Measure,
): Generator<Point, void, number | null> {
  const { sessions, depths, pointsMax } = bounds;
  if (sessions.length * depths.length <= pointsMax) {
    for (const one of sessions) {
      for (const depth of depths) yield* measure({ ...start, sessions: one, depth });
    }
    return;
  }
  const path = climb(bounds, start);
  let step = path.next();
  while (step.done !== true) step = path.next(yield* measure({ ...start, ...step.value }));
}
