import type { DataPlane } from '@fair-bench/contract';
import { setTimeout as sleep } from 'node:timers/promises';

/** A session that takes longer to close is left to the end of its server. */
const closeMsMax = 5_000;

/** What the work resolves to; rejects with the signal's reason when that comes first, for the work may never settle. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Closes sessions, and waits for 5 s at most. */
export async function closeWithin(sessions: readonly DataPlane[]): Promise<void> {
  const closed = new AbortController();
  const all = Promise.allSettled(sessions.map(async (session) => await session.close()));
  await Promise.race([all, sleep(closeMsMax, undefined, { signal: closed.signal }).catch(() => undefined)]);
  closed.abort();
}
