import type { Interval } from '@fair-bench/contract';
import {
  type LogEstimate,
  logRatioOf,
  type Moments,
  momentsOf,
  type RatioEstimate,
  ratioEstimateOf,
  type RoundPair,
  tFactor,
  meanOf,
} from './statistics.ts';

/**
 * Means of several samples, one value per round, with moderated variances. Each sample's variance is drawn towards
 * the family's, the more the family's variances resemble one another (empirical Bayes; Smyth, "Linear models and
 * empirical Bayes methods", Statistical Applications in Genetics and Molecular Biology 3(1), 2004). With few rounds
 * the intervals become narrower and keep their coverage. Families of fewer than four use Student's t.
 */
export function moderatedMeans(family: readonly (readonly number[])[]): readonly LogEstimate[] {
  const moments = family.map(momentsOf);
  const prior = priorOf(moments.filter(({ degrees, variance }) => degrees > 0 && variance > 0));
  return moments.map(({ count, mean, variance, degrees }): LogEstimate => {
    if (degrees < 1) return { mean, error: 0, degrees: 0 };
    const moderated = (prior.degrees * prior.variance + degrees * variance) / (prior.degrees + degrees);
    return { mean, error: Math.sqrt(moderated / count), degrees: prior.degrees + degrees };
  });
}

/** The 95 % interval, or one of another upper tail; null where the error is unknown. */
export function intervalOf({ mean, error, degrees }: LogEstimate, upperTail?: number): Interval | null {
  if (degrees < 1) return null;
  const half = error === 0 ? 0 : tFactor(degrees, upperTail) * error;
  return [mean - half, mean + half];
}

/**
 * Ratios contender ÷ baseline of several comparisons, paired by round, on the logarithm: geometric mean with
 * its 95 % interval and test by `moderatedMeans` over all of them. Throws a RangeError for a value that is not positive.
 */
export function pairedRatios(family: readonly (readonly RoundPair[])[]): readonly RatioEstimate[] {
  return moderatedMeans(family.map((rounds) => rounds.map(logRatioOf))).map((one) => ratioEstimateOf(one));
}

interface Prior {
  readonly variance: number;
  readonly degrees: number;
}

const familyMin = 4;

/**
 * The scaled F distribution of the variances, by the moments of their logarithms (Smyth 2004, section 6.2). A few
 * variances may look alike by chance, so the prior counts for at most a quarter of their total degrees of freedom.
 */
function priorOf(family: readonly Moments[]): Prior {
  if (family.length < familyMin) return { variance: 0, degrees: 0 };
  const logs = family.map(
    ({ variance, degrees }) => Math.log(variance) - digamma(degrees / 2) + Math.log(degrees / 2),
  );
  const mean = meanOf(logs);
  const spread = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (logs.length - 1);
  const excess = spread - meanOf(family.map(({ degrees }) => trigamma(degrees / 2)));
  const degreesMax = family.reduce((sum, { degrees }) => sum + degrees, 0) / 4;
  const degrees = Math.min(degreesMax, excess > 0 ? 2 * trigammaInverse(excess) : degreesMax);
  return { degrees, variance: Math.exp(mean + digamma(degrees / 2) - Math.log(degrees / 2)) };
}

/** From here the asymptotic series below are right to nine digits (Abramowitz & Stegun 6.3.18 and 6.4.12). */
const asymptoticFrom = 8;

/** Derivative of the logarithm of the gamma function, x > 0. */
function digamma(x: number): number {
  if (x < asymptoticFrom) return digamma(x + 1) - 1 / x;
  const square = 1 / x ** 2;
  return Math.log(x) - 1 / (2 * x) - square * (1 / 12 - square * (1 / 120 - square / 252));
}

/** Its derivative. */
function trigamma(x: number): number {
  if (x < asymptoticFrom) return trigamma(x + 1) + 1 / x ** 2;
  const square = 1 / x ** 2;
  return 1 / x + square / 2 + (square / x) * (1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30)));
}

/** By bisection on the logarithm: trigamma falls from infinity to 0. */
function trigammaInverse(y: number): number {
  let [low, high] = [1e-4, 1e6];
  while (high / low > 1 + 1e-9) {
    const middle = Math.sqrt(low * high);
    if (trigamma(middle) > y) low = middle;
    else high = middle;
  }
  return low;
}
