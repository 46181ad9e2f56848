import { setTimeout as sleep } from 'node:timers/promises';
import { sharedNowMs } from './clock.ts';
import type { Crew } from './crew.ts';

/** Waits for a time of the shared clock; sooner when told to stop; rejects when the trial has failed. */
export async function until(timeMs: number, crew: Crew, stop?: AbortSignal): Promise<void> {
  const signal = stop === undefined ? crew.failure : AbortSignal.any([crew.failure, stop]);
  for (let leftMs = timeMs - sharedNowMs(); leftMs > 0 && !signal.aborted; leftMs = timeMs - sharedNowMs()) {
    await sleep(leftMs, undefined, { signal }).catch(() => undefined);
  }
  crew.failure.throwIfAborted();
}

/** The promise, unless the trial fails first, or is told to stop before its first operation. */
export function guarded<T>(promise: Promise<T>, crew: Crew, stop?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (): void => reject(crew.failure.reason);
    const stopped = (): void => reject(stoppedTooSoon());
    if (crew.failure.aborted) failed();
    if (stop?.aborted === true) stopped();
    crew.failure.addEventListener('abort', failed, { once: true });
    stop?.addEventListener('abort', stopped, { once: true });
    promise.then(resolve, reject);
  });
}

export function stoppedTooSoon(): Error {
  return new Error('told to stop before the first operation');
}
