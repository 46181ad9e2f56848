import { disturbanceOf } from '@fair-bench/results';
import { type Check, completions, outstandingMaxOf, pass, type TrialEvidence, fail } from '../evidence.ts';
import { acknowledgedAtWindowEnd } from './done-at-window-end.ts';

/** The longest time of an event from a load client to a runner when both have a processor. */
const transportMs = 30;
/** Beyond this a process was suspended; for agents the round trip of the network is added. */
const heardMsMax = 150;
/** Where only the time of hearing speaks of the window's end, it hides a wrong clock by this share of the window. */
const heardShareMax = 0.05;
/** The precision of timers and clocks, at most this share of the window. */
const toleranceMsMax = 5;
const toleranceShareMax = 0.01;

/**
 * The load client's window against the runner's clock. Throughput is divided by the reported window: it must be within
 * the plan's bounds and as long as the runner ordered, and the runner must hear of its beginning and
 * end soon after they happen. On one machine both read one clock.
 */
export const checkWindowClock: Check = (evidence) => {
  const { result, windowMsPlanned: planned, windowMsOrdered: orderedMs, windowHeard: heard } = evidence;
  const { windowMs } = result.timing;
  const toleranceMs = Math.min(toleranceMsMax, toleranceShareMax * windowMs);
  if (heard === null || orderedMs === null) {
    return fail(
      'window-clock',
      'the load client did not report when a window that the runner had ordered began and ended',
      'it must send samples of its warm-up, wait for the order, and send an event when each phase begins',
    );
  }
  const remedy = 'its clock is wrong; if the machine was suspended for a moment, run again';
  const isPlanned = windowMs >= planned.least - toleranceMs && windowMs <= planned.most + toleranceMs;
  if (result.ending === 'complete' && (!isPlanned || Math.abs(windowMs - orderedMs) > toleranceMs)) {
    return fail(
      'window-clock',
      `the load client claims a window of ${windowMs.toFixed(0)} ms, was ordered one of ${orderedMs} ms, and ${planned.least} to ${planned.most} ms were planned`,
      remedy,
    );
  }
  const late = doneTooLate(evidence);
  if (late !== null) {
    return fail(
      'window-clock',
      `when ${orderedMs} ms had passed since the runner heard that the window began, the system had done ${late.done} of the ${late.acknowledged} operations that were acknowledged by the window's end`,
      remedy,
    );
  }
  const beginMsMax = heardMsMaxOf(evidence);
  const edges = [
    {
      what: 'began',
      afterMs: heard.beginAfterMs ?? 0,
      earliestMs: heard.beginAfterMs === null ? -beginMsMax : -toleranceMs,
      latestMs: beginMsMax,
    },
    {
      what: 'ended',
      afterMs: heard.endAfterMs,
      earliestMs: heard.beginAfterMs === null ? -beginMsMax : -toleranceMs,
      latestMs: endHeardMsMaxOf(evidence),
    },
  ];
  const wrong = edges.find(({ afterMs, earliestMs, latestMs }) => afterMs < earliestMs || afterMs > latestMs);
  if (wrong === undefined) return pass;
  const { what, afterMs, earliestMs, latestMs } = wrong;
  return fail(
    'window-clock',
    `the runner heard that the window ${what} ${afterMs.toFixed(0)} ms after the load client's clock says (${earliestMs.toFixed(0)} to ${latestMs.toFixed(0)} ms are possible)`,
    remedy,
  );
};

/**
 * The operations acknowledged in the window, and fewer that the system had done when as much time had passed by the runner's
 * clock as the window was ordered to last; null where that holds, or where they were never done, which is
 * another rule's. The runner begins to time it when it hears of the beginning: a busy machine only gives more time.
 */
function doneTooLate({
  cell,
  observed,
  result,
}: TrialEvidence): { acknowledged: number; done: number } | null {
  const { committedAtOrderedEnd: ordered, committedAtWindowEnd: end } = observed;
  const acknowledged = acknowledgedAtWindowEnd(result.operations);
  if (ordered === null || end === null) return null;
  const done = ordered.count * cell.batch;
  return done >= acknowledged || end.count * cell.batch < acknowledged ? null : { acknowledged, done };
}

/** A delay that the machine explains hides a slow clock, unless the system's count at the ordered end refutes it. */
function endHeardMsMaxOf(evidence: TrialEvidence): number {
  const mostMs = heardMsMaxOf(evidence);
  const { agents, timing } = evidence.result;
  if (evidence.observed.committedAtOrderedEnd !== null || agents !== undefined) return mostMs;
  return Math.min(mostMs, Math.max(transportMs, heardShareMax * timing.windowMs));
}

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
  const turnMs = (outstandingMaxOf(cell) * timing.windowMs) / Math.max(1, completions(window));
  return Math.min(heardMsMax, transportMs + (windowHeard?.runnerLateMs ?? 0) + turnMs);
}
