import { type Check, pass, warn } from '../evidence.ts';

const driftMax = 0.15;

/** A mean over a window that rises or falls is not a property of the system. */
export const checkSteadyState: Check = ({ result }) => {
  const { reached, windowDrift } = result.steadyState;
  if (Math.abs(windowDrift) > driftMax) {
    return warn(
      'drift',
      `throughput changed by ${(windowDrift * 100).toFixed(0)} % over the window`,
      'use a longer --warmup and --duration',
    );
  }
  if (reached) return pass;
  return warn('not-steady', 'throughput was not steady when the warm-up ended', 'use a longer --warmup');
};
