import { shuffled, splitMix64 } from '@fair-bench/results';

/**
 * Fewer rounds give no interval worth having: Student's t of four degrees of freedom is 2.8, of two 4.3, and no more
 * than that is known of a deviation.
 */
export const roundsLeast = 5;

/**
 * The order of each round: the blocks shuffled by the seed; within a block the cells one after the other, forwards in
 * one round and backwards in the next (ABBA), so that a drift that lasts longer than a block favours neither of two
 * neighbours. Which way comes first is drawn for each block.
 */
export function orderRounds(
  blocks: readonly (readonly string[])[],
  rounds: number,
  seed: string,
): string[][] {
  const draw = splitMix64(BigInt(seed));
  const turned = blocks.map((block) => (draw() % 2n === 0n ? block : block.toReversed()));
  return Array.from({ length: rounds }, (_, round) =>
    shuffled(turned, draw).flatMap((block) => (round % 2 === 0 ? block : block.toReversed())),
  );
}
