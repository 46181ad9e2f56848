import { type Check, completions, holds, voids, warns } from '../evidence.ts';

const tolerance = 0.05;

/**
 * Little's law (Little 1961): in a closed loop, operations outstanding = throughput × mean latency. Too much: more in
 * flight than the stated depth, or overstated latency. Too little: understated latency, or idle slots. Operations in
 * progress at an edge of the window blur it: usually by one mean latency per edge, at most (all slots stalled there)
 * by the longest latency.
 */
export const checkLittlesLaw: Check = ({ cell, loop, result }) => {
  if (loop.kind !== 'closed' || completions(result.window) === 0) return holds;
  const expected = cell.sessions * cell.depth;
  const latencyMs = result.latencyMsMeanWindow;
  const observed = (completions(result.window) / result.timing.windowMs) * latencyMs;
  const blur = (2 * latencyMs) / result.timing.windowMs;
  const deviation = observed / expected - 1;
  if (Math.abs(deviation) <= tolerance + blur) return holds;
  const { applied, declined, faults } = result.latency;
  const longestMs = Math.max(applied.maxUs, declined.maxUs, faults.maxUs) / 1000;
  const message =
    `throughput × mean latency says ${observed.toFixed(1)} operations outstanding, ` +
    `sessions × depth says ${expected}`;
  const lostConnections = Object.keys(result.window.faults).length > 0;
  if (deviation < 0 && lostConnections) {
    return warns(
      'littles-law',
      message,
      'sessions stood idle after faults; find the cause of the faults first',
    );
  }
  if (Math.abs(deviation) <= tolerance + longestMs / result.timing.windowMs) {
    return warns(
      'littles-law',
      `${message}; a stall of ${longestMs.toFixed(0)} ms at an edge of the window explains it`,
      'use a longer --duration, so that one stall does not weigh so much',
    );
  }
  return voids(
    // No pause of the machine puts more in flight.
    deviation > 0 ? 'littles-law-above' : 'littles-law',
    message,
    deviation > 0
      ? 'more operations were in flight than stated, or latency was overstated: check the session and the load client'
      : 'latency was understated, or the load client left slots idle: check its CPU, or use more --threads',
  );
};
