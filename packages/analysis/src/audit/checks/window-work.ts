import { meanOf } from '@fair-bench/results';
import {
  appliedWrites,
  type Check,
  outstandingMaxOf,
  pass,
  together,
  type TrialEvidence,
  fail,
} from '../evidence.ts';
import { heardMsMaxOf } from './window-clock.ts';

const toleranceShare = 0.01;
/** Throughput of a moment is so much above that of the window: as its busiest tenth of a second shows, within these. */
const burstMin = 1.2;
const burstMax = 3;

/**
 * What the load client counts in the window must have been done in the window, by the system's own count at its
 * beginning and end. Work of the warm-up is real and passes the replay, but would raise the throughput. Work done
 * before the first reading ended, or still running then, is missing from the difference.
 */
export const checkWindowWork: Check = (evidence) => {
  const missing = missingWork(evidence, 1);
  if (missing === null) return pass;
  return fail(
    'window-work',
    missing,
    'the load client counts work from outside its window: check how it counts',
  );
};

/** What is missing, in words, if only a share of what the system counted in the window was work; null if nothing is. */
export function missingWork(evidence: TrialEvidence, share: number): string | null {
  const { cell, result, observed, windowHeard } = evidence;
  const { committedAtWindowBegin: begin, committedAtWindowEnd: end } = observed;
  if (begin === null || end === null || windowHeard === null) return null;
  const reported = appliedWrites(result, 'window');
  const heardMs = windowHeard.beginAfterMs ?? heardMsMaxOf(evidence);
  const missedMs = Math.max(0, heardMs) + begin.readMs;
  const missedShare = toleranceShare + (burstOf(result) * missedMs) / result.timing.windowMs;
  const outstanding = outstandingMaxOf(cell);
  const done = Math.floor((end.count - begin.count) * share);
  if (done * cell.batch >= reported * (1 - missedShare) - outstanding) return null;
  return `${reported} operations that write were reported as applied in the window, but the system did ${done} transactions in it${together(cell)}`;
}

function burstOf({ appliedSlots }: TrialEvidence['result']): number {
  const mean = meanOf(appliedSlots);
  const burst = mean > 0 ? Math.max(...appliedSlots) / mean : burstMin;
  return Math.min(burstMax, Math.max(burstMin, burst));
}
