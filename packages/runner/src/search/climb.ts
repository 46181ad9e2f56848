import type { Cell, SearchBounds } from '@fair-bench/results';

export type Point = Pick<Cell, 'sessions' | 'depth'>;

/** A step on the grid, in places of its two lists. */
type Step = Readonly<Record<keyof Point, -1 | 0 | 1>>;

/**
 * Tried in this order. The last two exchange sessions for depth: along the ridge of equally many outstanding
 * operations, which neither axis follows.
 */
const steps: readonly Step[] = [
  { sessions: 0, depth: 1 },
  { sessions: 0, depth: -1 },
  { sessions: 1, depth: 0 },
  { sessions: -1, depth: 0 },
  { sessions: -1, depth: 1 },
  { sessions: 1, depth: -1 },
];

/**
 * Coordinate ascent over the grid of sessions and depths (pattern search, Hooke & Jeeves 1961): from the start in one
 * direction while throughput rises, then in the next, until none helps or `pointsMax` points were tried. Yields each
 * point once and receives its throughput, or null for a trial without a number, which ranks last. Returns the best
 * point; null when none has a number.
 */
export function* climb(
  { sessions, depths, pointsMax }: Pick<SearchBounds, 'sessions' | 'depths' | 'pointsMax'>,
  start: Point,
): Generator<Point, Point | null, number | null> {
  const tried = new Map<string, number>();
  const neighbour = (from: Point, step: Step): Point | null => {
    const next = {
      sessions: sessions[sessions.indexOf(from.sessions) + step.sessions],
      depth: depths[depths.indexOf(from.depth) + step.depth],
    };
    if (next.sessions === undefined || next.depth === undefined) return null;
    return { sessions: next.sessions, depth: next.depth };
  };
  /** Null if the point is new and the limit is reached. */
  function* throughputAt(point: Point): Generator<Point, number | null, number | null> {
    const key = JSON.stringify([point.sessions, point.depth]);
    const known = tried.get(key);
    if (known !== undefined) return known;
    if (tried.size >= pointsMax) return null;
    const found = (yield point) ?? Number.NEGATIVE_INFINITY;
    tried.set(key, found);
    return found;
  }
  let best = start;
  let bestTps = (yield* throughputAt(best)) ?? Number.NEGATIVE_INFINITY;
  for (let failed = 0, direction = 0; failed < steps.length; direction += 1) {
    const step = steps[direction % steps.length];
    const next = step === undefined ? null : neighbour(best, step);
    const tps = next === null ? null : yield* throughputAt(next);
    if (next === null || tps === null || tps <= bestTps) {
      failed += 1;
      continue;
    }
    [best, bestTps, failed] = [next, tps, 0];
    // On in the same direction.
    direction -= 1;
  }
  return Number.isFinite(bestTps) ? best : null;
}
