import tQuantile from '@stdlib/stats-base-dists-t-quantile';
import type { Interval } from '@fair-bench/contract';

/** A mean that never travels without its error. */
export interface MeanEstimate {
  readonly mean: number;
  /** 95 % confidence interval of the mean, in the unit of the values; null for a single value. */
  readonly ci95: Interval | null;
}

/**
 * Mean of one value per trial, with Student's 95 % interval over trials (Georges et al., OOPSLA 2007: trials
 * are the independent repetitions, not the operations within one). Throws a RangeError without values.
 */
export function meanWithInterval(values: readonly number[]): MeanEstimate {
  const { count, mean, variance } = momentsOf(values);
  if (count < 2) return { mean, ci95: null };
  return { mean, ci95: around(mean, tFactor(count - 1) * Math.sqrt(variance / count)) };
}

/** How many times as fast the contender is as the baseline. */
export interface RatioEstimate {
  readonly ratio: number;
  /** 95 % confidence interval of the ratio; null when fewer than two repetitions allow none. */
  readonly ci95: Interval | null;
  /** Whether the interval excludes 1. Without an interval nothing is significant. */
  readonly significant: boolean;
}

/** What two cells reached in the same round. */
export interface RoundPair {
  readonly baseline: number;
  readonly contender: number;
}

/**
 * Geometric mean of the per-round ratios contender ÷ baseline, with Student's interval on their logarithms
 * (an interval on the ratio itself: Kalibera & Jones, ISMM 2013). Pairing by round takes out what a round
 * did to both. Throws a RangeError without rounds or for a value that is not positive.
 */
export function pairedRatio(rounds: readonly RoundPair[]): RatioEstimate {
  const logs = rounds.map(({ baseline, contender }) => logOf(contender) - logOf(baseline));
  const { count, mean, variance } = momentsOf(logs);
  return estimate(mean, count < 2 ? null : tFactor(count - 1) * Math.sqrt(variance / count));
}

/**
 * Ratio of the geometric means after ÷ before of two samples that share no rounds, with Welch's interval on
 * the logarithms (Welch 1947; degrees of freedom by Satterthwaite 1946). Throws a RangeError for an empty
 * sample or a value that is not positive.
 */
export function unpairedRatio(before: readonly number[], after: readonly number[]): RatioEstimate {
  const a = momentsOf(before.map(logOf));
  const b = momentsOf(after.map(logOf));
  const difference = b.mean - a.mean;
  if (a.count < 2 || b.count < 2) return estimate(difference, null);
  const squareA = a.variance / a.count;
  const squareB = b.variance / b.count;
  const square = squareA + squareB;
  if (square === 0) return estimate(difference, 0);
  const degrees = square ** 2 / (squareA ** 2 / (a.count - 1) + squareB ** 2 / (b.count - 1));
  return estimate(difference, tFactor(degrees) * Math.sqrt(square));
}

function estimate(logRatio: number, halfWidth: number | null): RatioEstimate {
  const ratio = Math.exp(logRatio);
  if (halfWidth === null) return { ratio, ci95: null, significant: false };
  const [low, high] = around(logRatio, halfWidth);
  return { ratio, ci95: [Math.exp(low), Math.exp(high)], significant: low > 0 || high < 0 };
}

function logOf(value: number): number {
  if (!(value > 0)) throw new RangeError(`ratio: ${value} is not positive`);
  return Math.log(value);
}

/**
 * The smallest ratio that so many paired rounds tell from 1 on average, from the standard deviation of the
 * logarithm of one round's ratio: the half-width of their 95 % interval (least significant difference, Fisher
 * 1935). Throws a RangeError for fewer than two rounds.
 */
export function smallestTold(deviation: number, rounds: number): number {
  return Math.exp((tFactor(rounds - 1) * deviation) / Math.sqrt(rounds));
}

/** The deviation from which `smallestTold` makes this ratio. */
export function deviationOf(ratio: number, rounds: number): number {
  return (Math.log(ratio) * Math.sqrt(rounds)) / tFactor(rounds - 1);
}

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

function around(center: number, halfWidth: number): Interval {
  return [center - halfWidth, center + halfWidth];
}

interface Moments {
  readonly count: number;
  readonly mean: number;
  /** Unbiased: the sum of squares ÷ (count − 1); 0 for a single value, of which nothing is known. */
  readonly variance: number;
}

/** Throws a RangeError when there are no values: the mean of nothing is no number. */
function momentsOf(values: readonly number[]): Moments {
  const count = values.length;
  if (count === 0) throw new RangeError('mean: no values');
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count, mean, variance: count === 1 ? 0 : squares / (count - 1) };
}
