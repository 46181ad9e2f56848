import { setTimeout as sleep } from 'node:timers/promises';
import { sharedNowMs } from './clock.ts';
import type { Workers } from './workers.ts';

/** Waits for a time of the shared clock; ends sooner when stopped; rejects when the trial has failed. */
export async function until(timeMs: number, workers: Workers, stop?: AbortSignal): Promise<void> {
  const signal = stop === undefined ? workers.failure : AbortSignal.any([workers.failure, stop]);
  for (let leftMs = timeMs - sharedNowMs(); leftMs > 0 && !signal.aborted; leftMs = timeMs - sharedNowMs()) {
    await sleep(leftMs, undefined, { signal }).catch(() => undefined);
  }
  workers.failure.throwIfAborted();
}

/** The promise, unless the trial fails first, or is stopped before its first operation. */
export function guarded<T>(promise: Promise<T>, workers: Workers, stop?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (): void => reject(workers.failure.reason);
    const stopped = (): void => reject(stoppedTooSoon());
    if (workers.failure.aborted) failed();
    if (stop?.aborted === true) stopped();
    workers.failure.addEventListener('abort', failed, { once: true });
    stop?.addEventListener('abort', stopped, { once: true });
    promise.then(resolve, reject);
  });
}

export function stoppedTooSoon(): Error {
  return new Error('stopped before the first operation');
}
