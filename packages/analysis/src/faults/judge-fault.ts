import { appliedSlotMs, type MeasuredFaultTrial, meanOf, sum } from '@fair-bench/results';

/** Throughput counts as held, or as back, at this share of the offered rate, or of the throughput before the fault. */
export const recoveredShare = 0.9;

/** A rule of FAIR-BENCHMARK.md that a trial with a fault breaks, and how. */
interface BrokenRule {
  readonly rule: 'F56' | 'F57' | 'F58';
  readonly reason: string;
}

/** Why a trial with a fault says nothing, by the first rule that it breaks; null where it counts. */
export function judgeFault(trial: MeasuredFaultTrial): BrokenRule | null {
  const rules = [
    ['F57', answeredByTheDead],
    ['F58', outageLeftOut],
    ['F56', notHeldBefore],
  ] as const;
  for (const [rule, judge] of rules) {
    const reason = judge(trial);
    if (reason !== null) return { rule, reason };
  }
  return null;
}

/** F56: before the fault the load is held, or nobody knows what the fault changed. One request may be on its way. */
function notHeldBefore(trial: MeasuredFaultTrial): string | null {
  const { ratePerSecond, batch, course } = trial;
  const before = beforePerSecond(trial);
  const onItsWay = (batch * 1_000) / Math.max(1, course.beganMs);
  if (before + onItsWay >= recoveredShare * ratePerSecond) return null;
  return `before the fault it did ${Math.round(before)} of the ${Math.round(ratePerSecond)} operations per second that were offered; give a lower --rate`;
}

/**
 * F57: what was outstanding when the servers were killed is in doubt. One that is acknowledged later was sent again, by the client or
 * by what is between it and the server: nobody may do that who does not know whether it was done.
 */
function answeredByTheDead({ course: { answeredByTheDead: count } }: MeasuredFaultTrial): string | null {
  if (count === 0) return null;
  return `${count} operations that were outstanding when its servers were killed were acknowledged more than 0.2 s after they were gone: something sent them again, without knowing whether they had been done, or held their replies`;
}

/** What clocks may differ by, milliseconds. */
const toleranceMs = 20;

/**
 * F58: an outage is in the record. In the open loop an operation fell due every 1 / rate seconds while nothing was applied; each of
 * them failed, was declined, or was applied late, and those that came first were sent first. So the longest latency is at least the outage less the
 * time in which as many fell due as failed or were declined.
 */
function outageLeftOut({ course, result, ratePerSecond, batch }: MeasuredFaultTrial): string | null {
  const { inForceMs, firstAppliedMs, isTimed } = course;
  if (firstAppliedMs === null) return null;
  const { faults, declined } = result.total;
  const otherwise = sum(Object.values(faults)) + sum(Object.values(declined));
  const leastMs =
    firstAppliedMs -
    inForceMs -
    ((otherwise + 2 * batch) * 1_000) / ratePerSecond -
    (isTimed ? toleranceMs : toleranceMs + appliedSlotMs);
  const mostMs = result.latency.applied.maxUs / 1_000;
  if (mostMs >= leastMs) return null;
  return (
    `nothing was applied for ${Math.round(firstAppliedMs - inForceMs)} ms, ${otherwise} operations failed or were declined in all, and the longest latency is ` +
    `${Math.round(mostMs)} ms, where at least ${Math.round(leastMs)} ms are due: the outage is not in the latencies`
  );
}

/** Applied operations per second in the whole slots of the window before the fault. */
export function beforePerSecond({ result, course }: MeasuredFaultTrial): number {
  const slots = result.appliedSlots.slice(0, Math.floor(course.beganMs / appliedSlotMs));
  return slots.length === 0 ? 0 : (meanOf(slots) * 1_000) / appliedSlotMs;
}
