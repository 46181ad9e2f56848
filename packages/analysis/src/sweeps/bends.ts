import { meanOf, meanWithInterval, pairedRatio } from '@fair-bench/results';
import type { SweptPoint } from './swept-curve.ts';

/** Beyond a knee, a step brings less than this share of what a step brought before it. */
export const kneeGainShare = 0.5;
/** A collapse is below this share of the best throughput. */
export const collapseRatio = 0.8;

const pointsMin = 3;

/**
 * Where more load brings hardly more throughput. The place is Kneedle's: the point furthest above the chord of the
 * normalized curve (Satopää, Albrecht, Irwin & Raghavan, "Finding a Kneedle in a haystack", ICDCS workshops 2011). It
 * is a knee only when the rounds support it: throughput rises up to it, and the gain per unit beyond it is below half
 * of the gain before it, each with a 95 % interval. Null otherwise.
 */
export function kneeOf(points: readonly SweptPoint[]): SweptPoint | null {
  const [first] = points;
  const last = points.at(-1);
  const knee = furthestAboveChord(points);
  if (first === undefined || last === undefined || knee === null) return null;
  const before = gains(first, knee);
  const after = gains(knee, last);
  const lost = before.map((gain, round) => kneeGainShare * gain - (after[round] ?? Number.NaN));
  return isPositive(before) && isPositive(lost) ? knee : null;
}

/**
 * Where throughput falls clearly below its best: the first point from which on every ratio to the best, with its
 * whole 95 % interval, is below 0.8. Null without one.
 */
export function collapseOf(points: readonly SweptPoint[]): SweptPoint | null {
  const best = bestOf(points);
  if (best === null || points.length < pointsMin) return null;
  let collapse: SweptPoint | null = null;
  for (const point of points.slice(points.indexOf(best) + 1).toReversed()) {
    const { ci95 } = pairedRatio(
      point.tps.map((contender, round) => ({ baseline: best.tps[round] ?? Number.NaN, contender })),
    );
    if (ci95 === null || ci95[1] >= collapseRatio) break;
    collapse = point;
  }
  return collapse;
}

/** The inner point that lies most above the line from the first to the best height; null when none does. */
function furthestAboveChord(points: readonly SweptPoint[]): SweptPoint | null {
  const [first] = points;
  const [last, best] = [points.at(-1), bestOf(points)];
  if (first === undefined || last === undefined || best === null || points.length < pointsMin) return null;
  const low = Math.min(...points.map(({ tps }) => meanOf(tps)));
  const height = meanOf(best.tps) - low;
  if (height <= 0) return null;
  const above = ({ x, tps }: SweptPoint): number =>
    (meanOf(tps) - low) / height - (x - first.x) / (last.x - first.x);
  const furthest = points.slice(1, -1).reduce<SweptPoint | null>((most, point) => {
    return most === null || above(point) > above(most) ? point : most;
  }, null);
  return furthest !== null && above(furthest) > 0 ? furthest : null;
}

function bestOf(points: readonly SweptPoint[]): SweptPoint | null {
  return points.reduce<SweptPoint | null>(
    (best, point) => (best === null || meanOf(point.tps) > meanOf(best.tps) ? point : best),
    null,
  );
}

/** Throughput gained per unit of the parameter between two points, by round. */
function gains(from: SweptPoint, to: SweptPoint): readonly number[] {
  return to.tps.map((tps, round) => (tps - (from.tps[round] ?? Number.NaN)) / (to.x - from.x));
}

/** Whether the interval of the mean lies above 0; never for a single round. */
function isPositive(values: readonly number[]): boolean {
  const { ci95 } = meanWithInterval(values);
  return ci95 !== null && ci95[0] > 0;
}
