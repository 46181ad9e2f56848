import { type Check, holds, voids } from '../evidence.ts';

const toleranceShare = 0.05;
/** An event may be read late on a busy machine. */
const toleranceMs = 150;

/**
 * The load client's clock against the runner's. Throughput is divided by the window that the client reports:
 * a clock that runs slow would raise it, and with latencies from the same clock Little's law would hold.
 */
export const checkWindowClock: Check = ({ result, windowMsObserved }) => {
  const claimedMs = result.timing.windowMs;
  if (windowMsObserved === null) {
    return voids(
      'window-clock',
      'the load client never said when its window began and ended',
      'it must send the events of its phases as they begin',
    );
  }
  if (Math.abs(claimedMs - windowMsObserved) <= windowMsObserved * toleranceShare + toleranceMs) return holds;
  return voids(
    'window-clock',
    `the load client claims a window of ${claimedMs.toFixed(0)} ms, by the runner's clock it took ${windowMsObserved.toFixed(0)} ms`,
    'its clock is wrong; if the machine was suspended for a moment, run again',
  );
};
