import type { IndexedCell } from '@fair-bench/results';

/** The mean logarithm of a cell's throughputs. */
export function logMeanOf({ trials }: IndexedCell): number {
  return meanOf(trials.map(Math.log));
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
