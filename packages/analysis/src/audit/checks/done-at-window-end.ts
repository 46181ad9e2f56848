import type { OperationResult } from '@fair-bench/results';
import { type Check, holds, voids } from '../evidence.ts';

/**
 * At the window's end the system must have committed everything acknowledged so far. Its own count is read right
 * after the end, from a source that does not lag. A lead shorter than the drain escapes this check; the canaries find
 * it.
 */
export const checkDoneAtWindowEnd: Check = ({ observed: { committedAtWindowEnd: committed }, result }) => {
  if (committed === null) return holds;
  const acknowledged = acknowledgedAtWindowEnd(result.operations);
  if (committed >= acknowledged) return holds;
  return voids(
    'acknowledged-ahead',
    `${acknowledged} operations that write were acknowledged when the window ended, and the system had committed ${committed} transactions`,
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
