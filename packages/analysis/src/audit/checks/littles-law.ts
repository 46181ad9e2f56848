import { isInLoadClient } from '@fair-bench/contract';
import { faultPauseMsMax, faultsShareMaxDefault } from '@fair-bench/results';
import {
  type Check,
  completions,
  outstandingMaxOf,
  pass,
  type TrialEvidence,
  fail,
  sumCounts,
  warn,
} from '../evidence.ts';

const tolerance = 0.05;
/** Beyond this no blur of the window's edges is accepted: the window was too short (F41). */
export const blurredMax = 0.1;

/** Operations outstanding in a closed loop: as latency and throughput say, and as the cell has them. */
export interface Concurrency {
  readonly deviation: number;
  /** The largest deviation that operations in progress at the window's edges explain: by one mean latency per edge. */
  readonly usual: number;
  /** The same where all slots stalled at an edge, for the longest latency. */
  readonly stalled: number;
  readonly longestMs: number;
  /** The pauses after the faults of the window explain it: there are enough of them. */
  readonly mayBeIdle: boolean;
  readonly message: string;
}

/** Null in an open loop, and where nothing completed. */
export function concurrencyOf(
  evidence: Pick<TrialEvidence, 'cell' | 'factsBefore' | 'loop' | 'result'>,
): Concurrency | null {
  const { cell, factsBefore, loop, result } = evidence;
  if (loop.kind !== 'closed' || completions(result.window) === 0) return null;
  const { latencyMsMeanWindow: latencyMs, latency, timing, window } = result;
  const most = outstandingMaxOf(cell);
  // Where the engine is in the load client, a thread works for one request between two operations, and no other is carried out meanwhile.
  const least = isInLoadClient(factsBefore) ? Math.max(0, most - cell.threads * cell.batch) : most;
  const expected = least === most ? String(most) : `${least} to ${most}`;
  const observed = (completions(window) / timing.windowMs) * latencyMs;
  const { applied, declined, faults } = latency;
  const longestMs = Math.max(applied.maxUs, declined.maxUs, faults.maxUs) / 1000;
  const deviation = observed < least ? observed / least - 1 : Math.max(0, observed / most - 1);
  const paused = pausedMost(evidence);
  const usual = tolerance + (2 * latencyMs) / timing.windowMs;
  return {
    deviation,
    usual,
    stalled: Math.max(usual, tolerance + longestMs / timing.windowMs),
    longestMs,
    mayBeIdle: deviation < 0 && paused > 0 && least - observed <= usual * least + paused,
    message:
      `throughput × mean latency says ${observed.toFixed(1)} operations outstanding, ` +
      `sessions × depth${cell.batch === 1 ? '' : ' × batch'} says ${expected}`,
  };
}

/**
 * The most operations that pauses can have kept from being outstanding, on average over the window: one pause after each fault in it, and
 * one that a slot of such a fault had brought along.
 */
function pausedMost({ result: { timing, window } }: Pick<TrialEvidence, 'result'>): number {
  return (2 * sumCounts(window.faults) * faultPauseMsMax) / timing.windowMs;
}

/**
 * Little's law (Little 1961): in a closed loop, operations outstanding = throughput × mean latency. Too much: more in
 * flight than the stated depth, or overstated latency. Too little: understated latency, or idle slots. This rule
 * judges what the edges of the window cannot explain; F41 voids what they explain only because it is short.
 */
export const checkLittlesLaw: Check = (evidence) => {
  const concurrency = concurrencyOf(evidence);
  if (concurrency === null) return pass;
  const { deviation, usual, stalled, longestMs, mayBeIdle, message } = concurrency;
  if (Math.abs(deviation) <= usual) return pass;
  if (mayBeIdle) {
    const remedy = 'sessions stood idle after faults; find the cause of the faults first';
    // Few faults, each of a session that then does nothing, would leave a load of fewer sessions than the cell says.
    const { faultsShareMax, state } = evidence;
    const isAccepted = faultsShareMax > faultsShareMaxDefault || state.isolation?.provoked === true;
    return -deviation > blurredMax && !isAccepted
      ? fail('littles-law', `${message}: pauses after faults left the rest idle`, remedy)
      : warn('littles-law', message, remedy);
  }
  if (Math.abs(deviation) <= stalled) {
    if (Math.abs(deviation) > blurredMax) return pass;
    return warn(
      'littles-law',
      `${message}; a stall of ${longestMs.toFixed(0)} ms at an edge of the window explains it`,
      'use a longer --duration, so that one stall does not weigh so much',
    );
  }
  return fail(
    // No pause of the machine puts more in flight.
    deviation > 0 ? 'littles-law-above' : 'littles-law',
    message,
    deviation > 0
      ? 'more operations were in flight than stated, or latency was overstated: check the session and the load client'
      : 'latency was understated, or the load client left slots idle: check its CPU, or use more --threads',
  );
};
