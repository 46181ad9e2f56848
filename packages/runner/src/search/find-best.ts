import { type Cell, type SearchBounds, meanOf, sum } from '@fair-bench/results';
import { climb, type Point as Load } from './climb.ts';

/** A load, and the application server's pool if it is searched too. */
export type Point = Load & Pick<Cell, 'poolSize'>;

/** This many of the best points are also tried at other pools. */
const pooledMax = 4;

/** Standard errors of a difference; a point that is slower than the best by more is not measured again. */
const errorsMax = 1.5;

/** A point with the throughputs of its trials; none if one of them had no number. */
export interface Tried {
  readonly point: Point;
  readonly tps: readonly number[];
}

/** The measurements of every point so far. */
export class Trials {
  readonly #tried = new Map<string, { readonly point: Point; readonly tps: number[]; isVoid: boolean }>();

  /** Null is a trial without a number: its point then has none either. */
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
   * Those with a number, the best first: the fastest among those with the most trials, because a point with few
   * trials may have been lucky.
   */
  ranked(): readonly Tried[] {
    return this.all()
      .filter(({ tps }) => tps.length > 0)
      .toSorted((a, b) => b.tps.length - a.tps.length || meanOf(b.tps) - meanOf(a.tps));
  }

  /** Of the points with the most trials: the best, and those that may be slower only by the variation of trials. */
  standing(): readonly Tried[] {
    const ranked = this.ranked();
    const [best] = ranked;
    if (best === undefined) return [];
    const trials = best.tps.length;
    const least = meanOf(best.tps) * (1 - errorsMax * this.#variation() * Math.sqrt(2 / trials));
    return ranked.filter((one) => one.tps.length === trials && !(meanOf(one.tps) < least));
  }

  /** The standard deviation of a trial relative to its point's mean, over all points; Infinity if none has two. */
  #variation(): number {
    const repeated = this.all().filter(({ tps }) => tps.length > 1);
    const squares = repeated.flatMap((one) => one.tps.map((tps) => (tps / meanOf(one.tps) - 1) ** 2));
    const freedom = squares.length - repeated.length;
    return freedom === 0 ? Number.POSITIVE_INFINITY : Math.sqrt(sum(squares) / freedom);
  }
}

/**
 * Finds the best point of the grid by throughputs that vary from trial to trial. First every point once, or a climb
 * if the grid has more than `pointsMax` points; then the best at the other pools; then, step by step, fewer of the
 * best points with more trials (successive halving: Karnin, Koren & Somekh, ICML 2013), as long as the variation of
 * trials may explain their differences (racing: Maron & Moore, NIPS 1993). Yields the next point and receives its
 * throughput, or null for a trial without a number. Returns the best point; null when none has a number.
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
    for (let trial = 0; trial < rung.trials; trial += 1) {
      const standing = trials.standing().slice(0, rung.points);
      if (standing.length < 2) break;
      for (const { point } of standing) yield* measure(point);
    }
  }
  return trials.ranked()[0]?.point ?? null;
}

/** The most trials that `findBest` makes from this start. */
export function trialsMax({ sessions, depths, pools, pointsMax, rungs }: SearchBounds, start: Point): number {
  const first = Math.min(pointsMax, sessions.length * depths.length);
  const others = start.poolSize === undefined ? 0 : pools.filter((size) => size !== start.poolSize).length;
  const points = first + Math.min(pooledMax, first) * others;
  // One point alone is not measured again.
  const again = rungs.map((rung) => (points < 2 ? 0 : Math.min(rung.points, points) * rung.trials));
  return sum([points, ...again]);
}

/**
 * The coordinates in which a point is at an end of the searched range although more is possible: one session and
 * depth 1 are the minimum.
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
