import { appliedWrites, type Check, holds, voids } from '../evidence.ts';

const toleranceShare = 0.05;
/** The event that begins a window may be read late on a busy machine. */
const toleranceMs = 150;

/**
 * What the load client counts in the window must have been done in it, by the system's own count when the window begins and
 * when it ends: work of the warm-up is as real, passes the replay, and would raise the throughput. What was done before the
 * first of the two readings had ended is missing in their difference.
 */
export const checkWindowWork: Check = ({ cell, result, observed }) => {
  const { committedAtWindowBegin: begin, committedAtWindowEnd: end } = observed;
  if (begin === null || end === null) return holds;
  const told = appliedWrites(result, 'window');
  const missedShare = toleranceShare + (begin.readMs + toleranceMs) / result.timing.windowMs;
  const outstanding = cell.sessions * cell.depth;
  const done = end - begin.count;
  if (done >= told * (1 - missedShare) - outstanding) return holds;
  return voids(
    'window-work',
    `${told} operations that write are said to have been applied in the window, and the system did ${done} transactions in it`,
    'the load client counts work of another time: check how it counts its window',
  );
};
