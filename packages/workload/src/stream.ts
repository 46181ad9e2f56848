import type { Value } from '@fair-bench/contract';

/**
 * One session's operations: the k-th call gives the k-th operation of (seed, session), whatever the target, the load
 * client, its threads or the order of completions.
 */
export interface WorkloadStream {
  /**
   * Draws the next operation: writes its arguments over `slots[operation]` and returns its number. Lists and big
   * integers in it are shared or used again: they are valid until the same slots are drawn into again.
   */
  next(slots: Slots): number;
}

/** For each operation its arguments; one for each operation that may be outstanding. */
export type Slots = readonly Value[][];
