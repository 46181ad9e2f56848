import type { Cell, SearchBounds } from '@fair-bench/contract';

export type Point = Pick<Cell, 'sessions' | 'depth'>;
type Axis = keyof Point;

/**
 * Coordinate ascent over the grid of sessions and depths (Powell 1964, without his conjugate directions): from
 * the start along one axis for as long as throughput rises, then along the other, until neither helps or
 * `pointsMax` points were tried. Yields each point once and takes its throughput; null for a trial without a
 * number, which is below all others. Returns the best point; null when none had a number.
 */
export function* climb(
  { sessions, depths, pointsMax }: Pick<SearchBounds, 'sessions' | 'depths' | 'pointsMax'>,
  start: Point,
): Generator<Point, Point | null, number | null> {
  const grid = { sessions, depth: depths };
  const tried = new Map<string, number>();
  const isSpent = (): boolean => tried.size >= pointsMax;
  function* throughputAt(point: Point): Generator<Point, number, number | null> {
    const key = JSON.stringify([point.sessions, point.depth]);
    const known = tried.get(key);
    if (known !== undefined) return known;
    const found = (yield point) ?? Number.NEGATIVE_INFINITY;
    tried.set(key, found);
    return found;
  }
  /** The farthest point in one direction up to which throughput rises. */
  function* along(from: Point, axis: Axis, step: 1 | -1): Generator<Point, Point, number | null> {
    let best = from;
    for (;;) {
      const value = grid[axis][grid[axis].indexOf(best[axis]) + step];
      if (value === undefined || isSpent()) return best;
      const next = { ...best, [axis]: value };
      if ((yield* throughputAt(next)) <= (yield* throughputAt(best))) return best;
      best = next;
    }
  }
  let best = start;
  yield* throughputAt(best);
  for (;;) {
    const before = best;
    for (const axis of ['depth', 'sessions'] as const) {
      const up = yield* along(best, axis, 1);
      best = up === best ? yield* along(best, axis, -1) : up;
    }
    if (best === before || isSpent()) break;
  }
  return Number.isFinite(yield* throughputAt(best)) ? best : null;
}
