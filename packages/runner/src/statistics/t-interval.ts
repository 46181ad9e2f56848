import tQuantile from '@stdlib/stats-base-dists-t-quantile';
import type { Interval } from '@fair-bench/contract';

/** Every interval of this project is a 95 % one: two-sided, 2.5 % left out at each end. */
const upperTail95 = 0.975;

/**
 * The factor by which a standard error becomes half a 95 % interval (Student 1908); degrees need not be whole.
 *
 * @param upperTail another quantile, for intervals that are to hold together.
 */
export function tFactor(degreesOfFreedom: number, upperTail = upperTail95): number {
  if (!(degreesOfFreedom > 0)) throw new RangeError(`t quantile: ${degreesOfFreedom} degrees of freedom`);
  return tQuantile(upperTail, degreesOfFreedom);
}

export function around(center: number, halfWidth: number): Interval {
  return [center - halfWidth, center + halfWidth];
}

export interface Moments {
  readonly count: number;
  readonly mean: number;
  /** Unbiased: the sum of squares ÷ (count − 1); 0 for a single value, of which nothing is known. */
  readonly variance: number;
}

/** Throws a RangeError when there are no values: the mean of nothing is no number. */
export function momentsOf(values: readonly number[]): Moments {
  const count = values.length;
  if (count === 0) throw new RangeError('mean: no values');
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count, mean, variance: count === 1 ? 0 : squares / (count - 1) };
}
