import type { TargetDefinition } from '../targets/definition.ts';

/**
 * The time of a trial beside its warm-up and window: seeding, settling, connecting, draining, audit. Measured on two
 * busy cores; a faster machine needs less.
 */
export const trialOverheadMs = 1500;
/** A warm-up is prolonged while throughput is not steady. */
const warmupFactor = 1.5;
const provisionMs = 3000;
const startMs = 8000;

export interface TrialTimes {
  readonly warmup: number;
  readonly duration: number;
}

/** How long a run of these cells is expected to take, milliseconds. */
export function expectedMs(
  specs: readonly { readonly target: TargetDefinition }[],
  rounds: number,
  { warmup, duration }: TrialTimes,
): number {
  const targets = new Set(specs.map(({ target }) => target.target)).size;
  const trialMs = warmup * warmupFactor + duration + trialOverheadMs;
  return startMs + targets * provisionMs + specs.length * rounds * trialMs;
}
