import type { Interval } from '@fair-bench/contract';
import { around, momentsOf, tFactor } from './t-interval.ts';

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
