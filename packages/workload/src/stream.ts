import type { Value } from '@fair-bench/contract';

/**
 * One session's operations: the k-th call returns the k-th operation of (seed, session), regardless of target, load
 * client, threads and the order of completions.
 */
export interface WorkloadStream {
  /**
   * Draws the next operation: writes its arguments into `slots[operation]` and returns its number. Its lists and big
   * integers are reused: they are valid until the same slots are drawn into again.
   */
  next(slots: Slots): number;
}

/** The sessions of a load among all those whose streams are drawn by one seed: `count` from `first` on, of `all`. */
export interface SessionSpan {
  readonly first: number;
  readonly count: number;
  readonly all: number;
}

/** A load that has all of them. */
export function wholeSpan(sessions: number): SessionSpan {
  return { first: 0, count: sessions, all: sessions };
}

/** For each operation its arguments; one for each operation that may be outstanding. */
export type Slots = readonly Value[][];
