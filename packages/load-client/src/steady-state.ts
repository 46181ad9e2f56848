import { meanOf } from '@fair-bench/results/protocol';
/** A trend by least squares: `change` over the whole series as a share of its mean, and the change's 95 % margin. */
interface Trend {
  readonly change: number;
  readonly margin: number;
}

/** How many trailing slices of throughput are compared. */
export const steadySlices = 8;

/** A change this small is steady, whatever its margin. */
const changeSmall = 0.05;
/** A change this large is not steady, however noisy the slices are. */
const changeLarge = 0.2;
/** Student's t, two-sided 95 %, for the residual degrees of freedom of `steadySlices` points and two coefficients. */
const t95 = 2.447;

/**
 * Whether throughput has become steady: over the last eight slices the change by linear regression is at most 5 % of
 * the mean, or at most 20 % and within its own 95 % margin, so that a noisy system does not look like one that still
 * warms up. After Georges et al., OOPSLA 2007, and Barrett et al., OOPSLA 2017: a fixed warm-up proves nothing, and
 * steady state sometimes never comes.
 */
export function isSteady(throughputs: readonly number[]): boolean {
  if (throughputs.length < steadySlices) return false;
  const trend = trendOf(throughputs.slice(-steadySlices));
  if (trend === null) return false;
  const change = Math.abs(trend.change);
  return change <= changeSmall || (change <= changeLarge && change <= trend.margin);
}

/** Change of throughput over a window, as a share of its mean; 0 where the window is too short or empty. */
export function driftOf(throughputs: readonly number[]): number {
  return trendOf(throughputs)?.change ?? 0;
}

/** Null with fewer than three points or a mean of zero. */
export function trendOf(values: readonly number[]): Trend | null {
  const count = values.length;
  const mean = meanOf(values);
  if (count < 3 || mean === 0) return null;
  const middle = (count - 1) / 2;
  let spread = 0;
  let covariance = 0;
  for (const [index, value] of values.entries()) {
    spread += (index - middle) ** 2;
    covariance += (index - middle) * (value - mean);
  }
  const slope = covariance / spread;
  let residual = 0;
  for (const [index, value] of values.entries()) residual += (value - mean - slope * (index - middle)) ** 2;
  const slopeError = Math.sqrt(residual / (count - 2) / spread);
  return { change: (slope * count) / mean, margin: (t95 * slopeError * count) / mean };
}
