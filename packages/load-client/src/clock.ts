/**
 * Milliseconds on a monotonic clock shared by all threads of the process. The timed loop reads `performance.now()`,
 * which is cheaper and counts from the start of its own thread.
 */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const threadStartMs = sharedNowMs() - performance.now();

/** A time of the shared clock as this thread's `performance.now()` would have shown it. */
export function toThreadMs(sharedMs: number): number {
  return sharedMs - threadStartMs;
}

export function toSharedMs(threadMs: number): number {
  return threadMs + threadStartMs;
}
