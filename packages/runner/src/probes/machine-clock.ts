import type { TrialResult } from '@fair-bench/results';

/** The machine's monotonic clock, which its processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The log's time, microseconds, of a time of the machine's clock, milliseconds; of a load client that shares the clock. */
export function logClockOf({ startUs }: Pick<TrialResult['timing'], 'startUs'>): (ms: number) => number {
  return (ms) => ms * 1000 - startUs;
}
