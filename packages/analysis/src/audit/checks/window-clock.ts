import { disturbanceOf } from '@fair-bench/results';
import { type Check, completions, holds, type TrialEvidence, voids } from '../evidence.ts';

/** The longest time of an event from a load client to a runner when both have a processor. */
const transportMs = 30;
/** Beyond this a process was suspended; for agents the round trip of the network is added. */
const heardMsMax = 150;
/** The precision of timers and clocks. */
const toleranceMs = 5;

/**
 * The load client's window against the runner's clock. Throughput is divided by the reported window: it must be within
 * the plan's bounds and as long as the load client said before it began, and the runner must hear of its beginning and
 * end soon after they happen. On one machine both read one clock.
 */
export const checkWindowClock: Check = (evidence) => {
  const { result, windowMsPlanned: planned, windowMsSaid: said, windowHeard: heard } = evidence;
  const { windowMs } = result.timing;
  if (heard === null || said === null) {
    return voids(
      'window-clock',
      'the load client never said when its window began and ended, or how long it would last',
      'it must send an event before the window, and when each phase begins',
    );
  }
  const remedy = 'its clock is wrong; if the machine was suspended for a moment, run again';
  const isPlanned = windowMs >= planned.least - toleranceMs && windowMs <= planned.most + toleranceMs;
  if (result.ending === 'complete' && (!isPlanned || Math.abs(windowMs - said) > toleranceMs)) {
    return voids(
      'window-clock',
      `the load client claims a window of ${windowMs.toFixed(0)} ms, announced one of ${said} ms, and ${planned.least} to ${planned.most} ms were planned`,
      remedy,
    );
  }
  const latestMs = heardMsMaxOf(evidence);
  const earliestMs = heard.beginAfterMs === null ? -latestMs : -toleranceMs;
  const edges = [
    ['began', heard.beginAfterMs ?? 0],
    ['ended', heard.endAfterMs],
  ] as const;
  const wrong = edges.find(([, afterMs]) => afterMs < earliestMs || afterMs > latestMs);
  if (wrong === undefined) return holds;
  return voids(
    'window-clock',
    `the runner heard that the window ${wrong[0]} ${wrong[1].toFixed(0)} ms after the load client's clock says (${earliestMs.toFixed(0)} to ${latestMs.toFixed(0)} ms are possible)`,
    remedy,
  );
};

/**
 * The longest delay between an event of the load client and its reading by the runner: the runner's own loop was late by
 * as much as it reports, and the load client's timers wait until it has read all outstanding replies.
 */
export function heardMsMaxOf({
  cell,
  result,
  windowHeard,
  host,
}: Pick<TrialEvidence, 'cell' | 'result' | 'windowHeard' | 'host'>): number {
  const { agents, timing, window } = result;
  if (agents !== undefined) return heardMsMax + Math.max(...agents.map(({ roundTripMs }) => roundTripMs));
  if (host !== null && disturbanceOf(host) > 1) return heardMsMax;
  const turnMs = (cell.sessions * cell.depth * timing.windowMs) / Math.max(1, completions(window));
  return Math.min(heardMsMax, transportMs + (windowHeard?.runnerLateMs ?? 0) + turnMs);
}
