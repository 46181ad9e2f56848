import { setTimeout as sleep } from 'node:timers/promises';
import type { DataPlane } from '@fair-bench/contract';

const closeMsMax = 5000;

/** Closes sessions; one that does not close within five seconds ends with its process. */
export async function closeSessions(sessions: readonly DataPlane[]): Promise<void> {
  const given = new AbortController();
  const closed = Promise.allSettled(sessions.map(async (session) => session.close()));
  const timeout = sleep(closeMsMax, undefined, { signal: given.signal }).catch(() => undefined);
  await Promise.race([closed, timeout]);
  given.abort();
}

/** What the work resolves to; rejects with the signal's reason when that comes first, for the work may never settle. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
