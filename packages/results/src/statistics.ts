import { createRequire } from 'node:module';
import type { Interval } from '@fair-bench/contract';

type Distribution = (value: number, degreesOfFreedom: number) => number;

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
  const { count, mean, variance, degrees } = momentsOf(rounds.map(logRatioOf));
  return { mean, error: Math.sqrt(variance / count), degrees };
}

/**
 * Ratio of the geometric means after ÷ before of two samples that share no rounds, with Welch's interval on
 * the logarithms (Welch 1947; degrees of freedom by Satterthwaite 1946). Throws a RangeError for an empty
 * sample or a value that is not positive.
 */
export function unpairedRatio(before: readonly number[], after: readonly number[]): RatioEstimate {
  return ratioEstimateOf(welch(before, after), 1);
}

/** The deviation of the logarithm of throughput from run to run, as seen or assumed. */
export interface RunDeviation {
  readonly deviation: number;
  readonly degrees: number;
}

/**
 * The same for samples of two runs, each with its own deviation, about which rounds of one run say nothing. The
 * interval is the wider of Welch's and √2 × the deviation between runs.
 */
export function ratioBetweenRuns(
  before: readonly number[],
  after: readonly number[],
  { deviation, degrees }: RunDeviation,
): RatioEstimate {
  const within = welch(before, after);
  const between = { mean: within.mean, error: Math.SQRT2 * deviation, degrees };
  return ratioEstimateOf(halfWidthOf(within) > halfWidthOf(between) ? within : between, 1);
}

/**
 * The 95 % interval of one run's value with the deviation from run to run, on the logarithm: on each side the wider of it
 * and the run's own interval.
 */
export function intervalOfAnyRun(value: number, own: Interval | null, between: RunDeviation): Interval {
  const factor = Math.exp(tFactor(between.degrees) * between.deviation);
  const [low, high] = own ?? [value, value];
  return [Math.min(low, value / factor), Math.max(high, value * factor)];
}

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

/** The probability with which the suggested rounds decide, and the most rounds worth suggesting. */
const power = 0.8;
const roundsMax = 10_000;

/**
 * How many paired rounds would probably make an interval that excludes every bound and reaches at most `widest` × to
 * either side. Between two bounds both must be excluded at once. Null when these rounds cannot predict it, or beyond
 * 10,000 rounds.
 */
export function roundsToDecide(
  rounds: readonly RoundPair[],
  bounds: readonly number[],
  widest: number,
): number | null {
  if (rounds.length < 2) return null;
  const { mean, variance } = momentsOf(rounds.map(logRatioOf));
  const distances = distancesFrom(mean, bounds.map(logOf));
  const isEnough = (count: number): boolean => {
    const [error, factor] = [Math.sqrt(variance / count), tFactor(count - 1)];
    if (factor * error > Math.log(widest)) return false;
    if (error === 0) return !distances.includes(0);
    const misses = distances.map((distance) => studentsT('cdf', factor - distance / error, count - 1));
    return sum(misses) <= 1 - power;
  };
  if (!isEnough(roundsMax)) return null;
  let [low, high] = [1, roundsMax];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** To the nearest bound on each side: beyond an outer one, the others are excluded with it. */
function distancesFrom(value: number, bounds: readonly number[]): readonly number[] {
  const [below, above] = [bounds.filter((one) => one <= value), bounds.filter((one) => one > value)];
  if (above.length === 0) return [value - Math.max(...below)];
  if (below.length === 0) return [Math.min(...above) - value];
  return [value - Math.max(...below), Math.min(...above) - value];
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

/**
 * Student's distribution: `cdf` is the probability of at most `value`, `quantile` the value of that probability. Its library is
 * hundreds of small files, so it is loaded when the first interval is computed, not with every command and load client.
 */
function studentsT(name: 'cdf' | 'quantile', value: number, degreesOfFreedom: number): number {
  const known = loaded.get(name) ?? load(`@stdlib/stats-base-dists-t-${name}`);
  loaded.set(name, known);
  return known(value, degreesOfFreedom);
}
