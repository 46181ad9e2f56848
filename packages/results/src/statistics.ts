import { createRequire } from 'node:module';
import type { Interval } from '@fair-bench/contract';

type Distribution = (value: number, ...degreesOfFreedom: readonly number[]) => number;

const load: (name: string) => Distribution = createRequire(import.meta.url);
const loaded = new Map<string, Distribution>();

/** A mean with its error. */
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

/** The same for throughput, latency, CPU time or memory: none is below 0, and no interval of theirs. */
export function quantityWithInterval(values: readonly number[]): MeanEstimate {
  const { mean, ci95 } = meanWithInterval(values);
  return { mean, ci95: ci95 === null ? null : [Math.max(0, ci95[0]), ci95[1]] };
}

/** How many times as fast the contender is as the baseline. */
export interface RatioEstimate {
  readonly ratio: number;
  /** 95 % confidence interval of the ratio; null when fewer than two repetitions allow none. */
  readonly ci95: Interval | null;
  /** Whether the interval excludes the ratio that it is tested against. Without an interval nothing is significant. */
  readonly significant: boolean;
  /** Of the two-sided test against that ratio; null without an interval. */
  readonly pValue: number | null;
}

/** What two cells reached in the same round. */
export interface RoundPair {
  readonly baseline: number;
  readonly contender: number;
}

/**
 * Geometric mean of the per-round ratios contender ÷ baseline, with Student's interval on their logarithms (an
 * interval on the ratio itself: Kalibera & Jones, ISMM 2013). Pairing by round removes what a round did to both.
 * Throws a RangeError without rounds or for a value that is not positive.
 * @param against the ratio that it is tested against.
 */
export function pairedRatio(rounds: readonly RoundPair[], against = 1): RatioEstimate {
  return ratioEstimateOf(pairedLogRatio(rounds), against);
}

/** The same on the logarithm, before it is tested. */
export function pairedLogRatio(rounds: readonly RoundPair[]): LogEstimate {
  return sampleMean(rounds.map(logRatioOf));
}

/** The mean of a sample with Student's standard error, from its own deviation alone. Throws a RangeError without values. */
export function sampleMean(values: readonly number[]): LogEstimate {
  const { count, mean, variance, degrees } = momentsOf(values);
  return { mean, error: Math.sqrt(variance / count), degrees };
}

/** Its 95 % interval, or one of another upper tail; null where the error is unknown. */
export function intervalOf({ mean, error, degrees }: LogEstimate, upperTail?: number): Interval | null {
  if (degrees < 1) return null;
  return around(mean, error === 0 ? 0 : tFactor(degrees, upperTail) * error);
}

/**
 * Ratio of the geometric means after ÷ before of two samples that share no rounds, with Welch's interval on
 * the logarithms (Welch 1947; degrees of freedom by Satterthwaite 1946). Throws a RangeError for an empty
 * sample or a value that is not positive.
 */
export function unpairedRatio(before: readonly number[], after: readonly number[]): RatioEstimate {
  return ratioEstimateOf(welch(before, after), 1);
}

/**
 * The deviation of the logarithm of throughput from run to run. One that is seen is between the means of runs, with the error
 * of their rounds in it; one that is assumed is between their truths, to which each run adds the error of its rounds.
 */
export type RunDeviation =
  | { readonly kind: 'seen'; readonly deviation: number; readonly degrees: number }
  | { readonly kind: 'assumed'; readonly deviation: number };

/**
 * The same for samples of two runs, each with its own deviation, about which rounds of one run say nothing. The
 * interval is the wider of Welch's and √2 × a deviation that was seen; an assumed one is added to Welch's error.
 */
export function ratioBetweenRuns(
  before: readonly number[],
  after: readonly number[],
  between: RunDeviation,
): RatioEstimate {
  const within = welch(before, after);
  const apart = differenceOfRuns(within, between);
  return ratioEstimateOf(halfWidthOf(within) > halfWidthOf(apart) ? within : apart, 1);
}

/**
 * The 95 % prediction interval of the next run's value around this run's: both deviate, so √2 × the deviation from run to run on
 * the logarithm, with as many degrees as it is known by. It may be narrower than this run's own interval, which only knows
 * this run's rounds.
 * @param own this run's mean on the logarithm, by its rounds.
 */
export function intervalOfNextRun(value: number, own: LogEstimate, between: RunDeviation): Interval {
  // The next run's rounds have the error of this run's.
  const rounds = { ...own, error: Math.SQRT2 * own.error };
  const factor = Math.exp(halfWidthOf(differenceOfRuns(rounds, between)));
  return [value / factor, value * factor];
}

/**
 * The difference between two runs. `within` is the difference by their rounds alone. An assumed deviation has no error of its own:
 * degrees by Satterthwaite 1946.
 */
function differenceOfRuns(within: LogEstimate, between: RunDeviation): LogEstimate {
  const square = 2 * between.deviation ** 2;
  const { mean } = within;
  if (between.kind === 'seen') return { mean, error: Math.sqrt(square), degrees: between.degrees };
  const own = within.error ** 2;
  const degrees = own === 0 ? degreesOfKnown : within.degrees * ((square + own) / own) ** 2;
  return { mean, error: Math.sqrt(square + own), degrees: Math.min(degreesOfKnown, degrees) };
}

/** A number of degrees at which Student's distribution is the normal one. */
const degreesOfKnown = 1e6;

/** A logarithm with its standard error. */
export interface LogEstimate {
  readonly mean: number;
  readonly error: number;
  /** Below 1 the error is unknown. */
  readonly degrees: number;
}

function welch(before: readonly number[], after: readonly number[]): LogEstimate {
  const a = momentsOf(before.map(logOf));
  const b = momentsOf(after.map(logOf));
  const mean = b.mean - a.mean;
  if (a.count < 2 || b.count < 2) return { mean, error: 0, degrees: 0 };
  const squareA = a.variance / a.count;
  const squareB = b.variance / b.count;
  const square = squareA + squareB;
  const degrees =
    square === 0
      ? a.count + b.count - 2
      : square ** 2 / (squareA ** 2 / (a.count - 1) + squareB ** 2 / (b.count - 1));
  return { mean, error: Math.sqrt(square), degrees };
}

function halfWidthOf({ error, degrees }: LogEstimate): number {
  return degrees < 1 || error === 0 ? 0 : tFactor(degrees) * error;
}

/** The ratio whose logarithm it is, with its 95 % interval and its test. */
export function ratioEstimateOf(found: LogEstimate, against = 1): RatioEstimate {
  const { mean, error, degrees } = found;
  const ratio = Math.exp(mean);
  if (degrees < 1) return { ratio, ci95: null, significant: false, pValue: null };
  const [low, high] = around(mean, halfWidthOf(found));
  const tested = logOf(against);
  const distance = Math.abs(mean - tested);
  // Without any spread the estimate is exact.
  const pValue = error === 0 ? Number(distance === 0) : 2 * studentsT('cdf', -distance / error, degrees);
  return { ratio, ci95: [Math.exp(low), Math.exp(high)], significant: low > tested || high < tested, pValue };
}

/** What is significant has at most this p value. */
export const significanceLevel = 0.05;

/**
 * Adjusted p values of a family of tests: of families without any effect, at most a share of `level` has a p value up
 * to `level`, whatever the tests have in common (Holm, "A simple sequentially rejective multiple test procedure",
 * 1979). A test without a p value is not part of the family.
 */
export function holmAdjusted(pValues: readonly (number | null)[]): readonly (number | null)[] {
  const tested = pValues.flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]));
  const adjusted: (number | null)[] = pValues.map(() => null);
  let least = 0;
  for (const [rank, { pValue, index }] of tested.toSorted((a, b) => a.pValue - b.pValue).entries()) {
    least = Math.max(least, Math.min(1, (tested.length - rank) * pValue));
    adjusted[index] = least;
  }
  return adjusted;
}

/** Logarithm of contender ÷ baseline. Throws a RangeError for a value that is not positive. */
export function logRatioOf({ baseline, contender }: RoundPair): number {
  return logOf(contender) - logOf(baseline);
}

function logOf(value: number): number {
  if (!(value > 0)) throw new RangeError(`ratio: ${value} is not positive`);
  return Math.log(value);
}

/**
 * The minimum detectable ratio of so many paired rounds, from the standard deviation of the
 * logarithm of one round's ratio: the half-width of their 95 % interval (least significant difference, Fisher
 * 1935). Throws a RangeError for fewer than two rounds.
 */
export function minDetectableRatio(deviation: number, rounds: number): number {
  return Math.exp((tFactor(rounds - 1) * deviation) / Math.sqrt(rounds));
}

/** The deviation that `minDetectableRatio` turns into this ratio. */
export function deviationOf(ratio: number, rounds: number): number {
  return (Math.log(ratio) * Math.sqrt(rounds)) / tFactor(rounds - 1);
}

/** Every interval of this project is a 95 % one: two-sided, 2.5 % at each end. */
const upperTail95 = 0.975;

/**
 * The factor that turns a standard error into half a 95 % interval (Student 1908); degrees need not be whole.
 * @param upperTail another quantile, for intervals that must hold jointly.
 */
export function tFactor(degreesOfFreedom: number, upperTail = upperTail95): number {
  if (!(degreesOfFreedom > 0)) throw new RangeError(`t quantile: ${degreesOfFreedom} degrees of freedom`);
  return studentsT('quantile', upperTail, degreesOfFreedom);
}

function around(center: number, halfWidth: number): Interval {
  return [center - halfWidth, center + halfWidth];
}

export interface Moments {
  readonly count: number;
  readonly degrees: number;
  readonly mean: number;
  /** Unbiased: the sum of squares ÷ (count − 1); 0 for a single value, whose deviation is unknown. */
  readonly variance: number;
}

/** Throws a RangeError without values. */
export function momentsOf(values: readonly number[]): Moments {
  const count = values.length;
  if (count === 0) throw new RangeError('mean: no values');
  const mean = meanOf(values);
  const squares = sum(values.map((value) => (value - mean) ** 2));
  return { count, degrees: count - 1, mean, variance: count === 1 ? 0 : squares / (count - 1) };
}

/** NaN without values. */
export function meanOf(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** The middle value; of an even number, the mean of the middle two. NaN without values. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Student's distribution: `cdf` is the probability of at most `value`, `quantile` the value of that probability. */
export function studentsT(name: 'cdf' | 'quantile', value: number, degreesOfFreedom: number): number {
  return distribution(`t-${name}`)(value, degreesOfFreedom);
}

/** The probability that a ratio of mean squares exceeds this one where both have one variance (Fisher's F). */
export function fProbabilityAbove(ratio: number, above: number, below: number): number {
  return 1 - distribution('f-cdf')(ratio, above, below);
}

/**
 * Each of these libraries is hundreds of small files, so it is loaded when the first interval is computed, not with every
 * command and load client.
 */
function distribution(name: string): Distribution {
  const known = loaded.get(name) ?? load(`@stdlib/stats-base-dists-${name}`);
  loaded.set(name, known);
  return known;
}
