import { appliedWrites, type Check, holds, type TrialEvidence, voids } from '../evidence.ts';
import { heardMsMaxOf } from './window-clock.ts';

const toleranceShare = 0.01;
/** Throughput of a moment is so much above that of the window: as its busiest tenth of a second shows, within these. */
const burstMin = 1.2;
const burstMax = 3;

/**
 * What the load client counts in the window must have been done in it, by the system's own count when the window begins and
 * when it ends: work of the warm-up is as real, passes the replay, and would raise the throughput. What was done before the
 * first of the two readings had ended is missing in their difference, and so may be what was under way.
 */
export const checkWindowWork: Check = (evidence) => {
  const { cell, result, observed, windowHeard } = evidence;
  const { committedAtWindowBegin: begin, committedAtWindowEnd: end } = observed;
  if (begin === null || end === null || windowHeard === null) return holds;
  const told = appliedWrites(result, 'window');
  const heardMs = windowHeard.beginAfterMs ?? heardMsMaxOf(evidence);
  const missedMs = Math.max(0, heardMs) + begin.readMs;
  const missedShare = toleranceShare + (burstOf(result) * missedMs) / result.timing.windowMs;
  const outstanding = cell.sessions * cell.depth;
  const done = end - begin.count;
  if (done >= told * (1 - missedShare) - outstanding) return holds;
  return voids(
    'window-work',
    `${told} operations that write are said to have been applied in the window, and the system did ${done} transactions in it`,
    'the load client counts work of another time: check how it counts its window',
  );
};

function burstOf({ appliedSlots = [] }: TrialEvidence['result']): number {
  const mean = appliedSlots.reduce((sum, count) => sum + count, 0) / appliedSlots.length;
  const burst = mean > 0 ? Math.max(...appliedSlots) / mean : burstMin;
  return Math.min(burstMax, Math.max(burstMin, burst));
}
