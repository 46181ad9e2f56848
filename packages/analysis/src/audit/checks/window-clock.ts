import { disturbanceOf } from '@fair-bench/results';
import { type Check, completions, holds, type TrialEvidence, voids } from '../evidence.ts';

/** An event takes so long at most from a load client that has a processor to a runner that has one. */
const transportMs = 30;
/** Whoever is later was suspended. So much is allowed where others took processors, and, beside the round trip, over a network. */
const heardMsMax = 150;
/** Timers and clocks are that exact. */
const toleranceMs = 5;

/**
 * The load client's window against the runner's clock. Throughput is divided by the window that the client reports: it must be
 * the planned one, and the runner must hear that it begins and ends soon after it does. On one machine both read one clock.
 */
export const checkWindowClock: Check = (evidence) => {
  const { result, windowMsPlanned, windowHeard: heard } = evidence;
  const { windowMs } = result.timing;
  if (heard === null) {
    return voids(
      'window-clock',
      'the load client never said when its window began and ended',
      'it must send the events of its phases as they begin',
    );
  }
  const remedy = 'its clock is wrong; if the machine was suspended for a moment, run again';
  if (result.ending === 'complete' && Math.abs(windowMs - windowMsPlanned) > toleranceMs) {
    return voids(
      'window-clock',
      `the load client claims a window of ${windowMs.toFixed(0)} ms, and ${windowMsPlanned.toFixed(0)} ms were planned`,
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
 * How long after an event of its phases the runner reads it at most: the runner's own loop was late by as much as it says, and the
 * load client's comes to its timers once it has read all replies that wait, which takes no longer than all that are outstanding.
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
