import type { RunPlan } from '@fair-bench/results';
import type { TargetDefinition } from '../targets/definition.ts';

/**
 * The time of a trial beside its warm-up and window: seeding, settling, connecting, draining, audit. Measured on two
 * busy cores; a faster machine needs less.
 */
export const trialOverheadMs = 1500;
/** A warm-up is prolonged while throughput is not steady. */
const warmupFactor = 1.5;
const provisionMs = 3000;
/** To end a target and start it anew, beside the others. */
const restartMs = 1500;
const startMs = 8000;

/** By how much the warm-up of a target's first trial after a start is longer: its code is not yet compiled. */
export const breakInMs = 1000;

export interface TrialTimes {
  readonly warmup: number;
  readonly duration: number;
  readonly deployments?: RunPlan['deployments'];
}

/** How long a run of these cells is expected to take, milliseconds. */
export function expectedMs(
  specs: readonly { readonly target: TargetDefinition }[],
  rounds: number,
  { warmup, duration, deployments }: TrialTimes,
): number {
  const targets = new Set(specs.map(({ target }) => target.target)).size;
  const trialMs = warmup * warmupFactor + duration + trialOverheadMs;
  const starts = deployments === 'each' ? rounds : 1;
  const startsMs = targets * (provisionMs + (starts - 1) * restartMs + starts * breakInMs);
  return startMs + startsMs + specs.length * rounds * trialMs;
}
