import { isInLoadClient } from '@fair-bench/contract';
import {
  type Check,
  completions,
  outstandingMaxOf,
  pass,
  type TrialEvidence,
  fail,
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
  /** Sessions may have stood idle after faults. */
  readonly mayBeIdle: boolean;
  readonly message: string;
}

/** Null in an open loop, and where nothing completed. */
export function concurrencyOf({
  cell,
  factsBefore,
  loop,
  result,
}: Pick<TrialEvidence, 'cell' | 'factsBefore' | 'loop' | 'result'>): Concurrency | null {
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
  const usual = tolerance + (2 * latencyMs) / timing.windowMs;
  return {
    deviation,
    usual,
    stalled: Math.max(usual, tolerance + longestMs / timing.windowMs),
    longestMs,
    mayBeIdle: deviation < 0 && Object.keys(window.faults).length > 0,
    message:
      `throughput × mean latency says ${observed.toFixed(1)} operations outstanding, ` +
      `sessions × depth${cell.batch === 1 ? '' : ' × batch'} says ${expected}`,
  };
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
    return warn(
      'littles-law',
      message,
      'sessions stood idle after faults; find the cause of the faults first',
    );
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
