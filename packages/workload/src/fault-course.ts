import { neverUs, type SessionOutcomes } from './replay/log-format.ts';
import { nothingAt } from './nothing-at.ts';

/** When a fault was in force, and from when on no reply of the servers of before can come; microseconds of the log's clock. */
export interface FaultTimes {
  readonly inForceUs: number;
  /** Infinity for a fault that no server dies of. */
  readonly silentFromUs: number;
}

/** What the times of a log say of a fault. */
export interface FaultCourse {
  /** The first reply to an operation that was sent while the fault was in force or later and was applied; null without one. */
  readonly firstAppliedUs: number | null;
  /** Operations that were sent before the fault and acknowledged as applied after the silence began. */
  readonly answeredByTheDead: number;
  /** Whether operations have times: without them the rest says nothing. */
  readonly isTimed: boolean;
}

/** Reads only the times: it draws no operation again. An operation without times says nothing. */
export function faultCourse(
  logs: readonly SessionOutcomes[],
  { inForceUs, silentFromUs }: FaultTimes,
): FaultCourse {
  let firstAppliedUs = Number.POSITIVE_INFINITY;
  let answeredByTheDead = 0;
  let isTimed = false;
  for (const { drawn, exceptions, times } of logs) {
    const others = new Set<number>();
    for (let at = 0; at < exceptions.length; at += 2) others.add(exceptions[at] ?? nothingAt(at));
    const timed = Math.min(drawn, times.length / 2);
    for (let sequence = 0; sequence < timed; sequence += 1) {
      const sentUs = times[2 * sequence] ?? nothingAt(sequence);
      const settledUs = times[2 * sequence + 1] ?? nothingAt(sequence);
      if (settledUs === 0 || settledUs === neverUs || others.has(sequence)) continue;
      isTimed = true;
      if (sentUs >= inForceUs) firstAppliedUs = Math.min(firstAppliedUs, settledUs);
      else if (settledUs > silentFromUs) answeredByTheDead += 1;
    }
  }
  const first = firstAppliedUs === Number.POSITIVE_INFINITY ? null : firstAppliedUs;
  return { firstAppliedUs: first, answeredByTheDead, isTimed };
}
