import type { Interval } from '@fair-bench/contract';
import { splitMix64 } from '../plan/shuffle.ts';
import { tFactor } from '../statistics/index.ts';

const resamples = 2000;

/**
 * Intervals for the means of several statistics over the same rounds, that hold together with 95 %: whoever
 * reads all the factors of a gap makes several statements at once, so that each is held to 5 % ÷ their number
 * (Bonferroni). Null for all of them with fewer than two rounds.
 *
 * The standard errors are bootstrapped: rounds are drawn anew with replacement, each whole, so that whatever
 * a round did to all of its cells stays together (Efron 1979). A bootstrap over n rounds is too narrow by
 * √((n − 1) ÷ n) and its percentiles by more, so that the error is widened by that and by Student's factor
 * for n − 1 degrees of freedom (Hesterberg, "What Teachers Should Know About the Bootstrap", 2015).
 *
 * @param rounds for each round the statistics, always as many and in the same order.
 * @param seed the same gives the same intervals.
 */
export function jointIntervals(
  rounds: readonly (readonly number[])[],
  seed: bigint,
): readonly (Interval | null)[] {
  const means = meansOf(rounds);
  const count = rounds.length;
  if (count < 2) return means.map(() => null);
  const draw = splitMix64(seed);
  const resampled = Array.from({ length: resamples }, () =>
    // The remainder's bias is below count ÷ 2 ** 64.
    meansOf(rounds.map(() => rounds[Number(draw() % BigInt(count))] ?? [])),
  );
  const factor = tFactor(count - 1, 1 - 0.025 / means.length) * Math.sqrt(count / (count - 1));
  return means.map((mean, index) => {
    const half = factor * deviationOf(resampled.map((one) => one[index] ?? mean));
    return [mean - half, mean + half];
  });
}

/** The mean of each statistic over the rounds. */
export function meansOf(rounds: readonly (readonly number[])[]): readonly number[] {
  const [first = []] = rounds;
  return first.map((_, index) => rounds.reduce((sum, round) => sum + (round[index] ?? 0), 0) / rounds.length);
}

function deviationOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
