import { shuffled, splitMix64 } from '@fair-bench/results';

/** Fewer rounds give no useful interval: Student's t for four degrees of freedom is 2.8, for two 4.3. */
export const roundsLeast = 5;

/**
 * The order of each round: blocks are shuffled by the seed; the cells of a block are measured consecutively, forwards
 * in one round and backwards in the next (ABBA), so that a drift longer than a block favours neither neighbour. The
 * first direction is drawn for each block.
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
