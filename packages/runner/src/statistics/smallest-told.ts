import { tFactor } from './t-interval.ts';

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
