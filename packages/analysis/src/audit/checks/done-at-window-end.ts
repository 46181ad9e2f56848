import type { OperationResult } from '@fair-bench/results';
import { type Check, holds, voids } from '../evidence.ts';

/**
 * When the window ends, the system must have done what was acknowledged until then. It is read just after, by what does not
 * lag, so that only what an acknowledgement is ahead by less than the drain escapes: that is the canaries' to find.
 */
export const checkDoneAtWindowEnd: Check = ({ observed: { committedAtWindowEnd: committed }, result }) => {
  if (committed === null) return holds;
  const acknowledged = acknowledgedAtWindowEnd(result.operations);
  if (committed >= acknowledged) return holds;
  return voids(
    'acknowledged-ahead',
    `${acknowledged} operations that write were acknowledged when the window ended, and the system had done ${committed} transactions`,
    'the session, its server or a proxy acknowledges before the work is done',
  );
};

/** Histograms hold what completed from the window's beginning to the drain's end. */
export function acknowledgedAtWindowEnd(operations: readonly OperationResult[]): number {
  return operations
    .filter(({ writes }) => writes)
    .reduce((sum, { total, window, latency }) => {
      const drained = Math.max(0, latency.applied.count - window.applied);
      return sum + total.applied - drained;
    }, 0);
}
