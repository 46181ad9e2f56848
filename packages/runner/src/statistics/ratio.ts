import type { Interval } from '@fair-bench/contract';
import { around, momentsOf, tFactor } from './t-interval.ts';

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
