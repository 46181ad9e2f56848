/**
 * Milliseconds on a monotonic clock shared by all threads of the process. The timed loop reads `performance.now()`,
 * which is cheaper and counts from the start of its own thread.
 */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const pairs = 32;

/**
 * How far the shared clock is ahead of a thread's, in milliseconds: by the pair of readings that took the least time, because a
 * thread may lose its processor between any two (Cristian, Distributed Computing 1989). The error is at most half of that time.
 */
export function aheadMs(threadNowMs: () => number, sharedMs: () => number): number {
  let least = Number.POSITIVE_INFINITY;
  let ahead = 0;
  for (let pair = 0; pair < pairs; pair += 1) {
    const before = threadNowMs();
    const shared = sharedMs();
    const after = threadNowMs();
    if (after - before < least) {
      least = after - before;
      ahead = shared - (before + after) / 2;
    }
  }
  return ahead;
}

const threadStartMs = aheadMs(() => performance.now(), sharedNowMs);

/** A time of the shared clock as this thread's `performance.now()` would have shown it. */
export function toThreadMs(sharedMs: number): number {
  return sharedMs - threadStartMs;
}

export function toSharedMs(threadMs: number): number {
  return threadMs + threadStartMs;
}
