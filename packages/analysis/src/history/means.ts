import { type IndexedCell, meanOf } from '@fair-bench/results';

/** The mean logarithm of a cell's throughputs. */
export function logMeanOf({ trials }: IndexedCell): number {
  return meanOf(trials.map(Math.log));
}
