import type { OperationOutcome } from './data-plane.ts';

/*
 * The one policy for operations that a database undid and asks to be sent again, of application servers and of sessions alike; that of
 * the native client is `undone.rs`.
 */

/** Attempts beyond the first. */
export const retriesMax = 10;

const retryDelayMsMax = 50;

/** How long to wait before attempt number `retries` beyond the first, with full jitter (0 to 2ⁿ ms): operations that collided once do not meet again in step. */
export function retryDelayMs(retries: number): number {
  return Math.random() * Math.min(2 ** retries, retryDelayMsMax);
}

/** Whether an operation was certainly undone and may succeed when it is sent again. */
export function isRetryable(outcome: OperationOutcome): boolean {
  return (
    outcome.kind === 'fault' &&
    !outcome.inDoubt &&
    (outcome.code === 'serialization-failure' || outcome.code === 'deadlock')
  );
}
