import { setTimeout as sleep } from 'node:timers/promises';
import type { TimedFault } from '@fair-bench/results';
import type { KillableTarget } from '../durability/killable-target.ts';
import { machineMs } from '../probes/machine-clock.ts';
import type { ArrangedFault } from './arranged-fault.ts';

/** When a fault was in force, by the machine's clock. */
export interface Injected {
  readonly beganMs: number;
  readonly inForceMs: number;
  readonly endedMs: number;
  /** Why the target does not come back: its servers do not start again on their data; null where they do. */
  readonly gone: string | null;
}

/**
 * Injects a fault into the window that begins now. What began is ended, whatever happens meanwhile. Rejects when it cannot begin, and
 * when the signal aborts before it.
 */
export async function inject(
  arranged: ArrangedFault,
  target: KillableTarget,
  { atMs, lengthMs }: TimedFault,
  signal: AbortSignal,
): Promise<Injected> {
  await sleep(atMs, undefined, { signal });
  await target.aim();
  const beganMs = machineMs();
  try {
    await arranged.begin(target);
  } catch (error) {
    // It may have begun.
    await arranged.end(target).catch(() => undefined);
    throw error;
  }
  const inForceMs = machineMs();
  await sleep(lengthMs, undefined, { signal }).catch(() => undefined);
  const gone = await arranged.end(target);
  return { beganMs, inForceMs, endedMs: machineMs(), gone };
}
