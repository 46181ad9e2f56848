import { type SoakSlope, sum } from '@fair-bench/results';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** An interval of fewer points says nothing. */
export const trendPointsMin = 8;
const normal95 = 1.96;
const correlationMax = 0.95;

/**
 * The slope of a series with its 95 % interval: the median of the slopes of all pairs, between two of them (H. Theil, 1950; P. K. Sen,
 * "Estimates of the regression coefficient based on Kendall's tau", JASA 63, 1968). Neighbours that are alike widen the interval, as
 * (1 + r) / (1 − r) for a first-order autocorrelation r of what is left without the slope (after K. H. Hamed and A. R. Rao, "A modified
 * Mann-Kendall trend test for autocorrelated data", Journal of Hydrology 204, 1998). One wild value moves it little. Null with fewer
 * than eight points.
 */
export function theilSen(points: readonly Point[]): SoakSlope {
  const count = points.length;
  if (count < trendPointsMin) return null;
  const slopes = points
    .flatMap((a, place) =>
      points.slice(place + 1).flatMap((b) => (b.x === a.x ? [] : [(b.y - a.y) / (b.x - a.x)])),
    )
    .toSorted((a, b) => a - b);
  const pairs = slopes.length;
  if (pairs === 0) return null;
  const at = (place: number): number => slopes[Math.min(pairs - 1, Math.max(0, place))] ?? 0;
  const slope = (at(Math.floor((pairs - 1) / 2)) + at(Math.ceil((pairs - 1) / 2))) / 2;
  const alike = autocorrelation(points.map(({ x, y }) => y - slope * x));
  const variance = (count * (count - 1) * (2 * count + 5)) / 18;
  const reach = normal95 * Math.sqrt((variance * (1 + alike)) / (1 - alike));
  return {
    perHour: slope,
    ci95: [at(Math.floor((pairs - reach) / 2)), at(Math.ceil((pairs + reach) / 2))],
  };
}

/** How alike neighbours are, from 0 to 0.95, with the bias of a short series taken out (F. H. C. Marriott and J. A. Pope, Biometrika 41, 1954). */
function autocorrelation(values: readonly number[]): number {
  const mean = sum(values) / values.length;
  const apart = values.map((value) => value - mean);
  const all = sum(apart.map((value) => value * value));
  if (all === 0) return 0;
  const found = sum(apart.slice(1).map((value, place) => value * (apart[place] ?? 0))) / all;
  return Math.min(correlationMax, Math.max(0, found + (1 + 4 * found) / values.length));
}
