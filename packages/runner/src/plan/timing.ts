import type { RunPlan } from '@fair-bench/results';
import type { TargetDefinition } from '../targets/definition.ts';

/**
 * The time of a trial beside its warm-up and window: seeding, settling, connecting, draining, audit. Measured on two
 * busy cores; a faster machine needs less.
 */
export const trialOverheadMs = 1500;
/** A warm-up is prolonged while throughput is not steady. */
const warmupFactor = 1.5;
/** What a cell is assumed to do, operations per second, until its first trial shows it: a guess between slow and fast. */
const ratePerSecond = 2500;
/** Of mean latencies: the slices of a warm-up with the first, in which replies may be missing, and the window. */
const warmupLatencies = 9;
const windowLatencies = 10;
const provisionMs = 3000;
/** To end a target and start it anew, beside the others. */
const restartMs = 1500;
const startMs = 8000;

/**
 * How many times as long the warm-up of a target's first trial after a start is: its code is not yet compiled. In
 * windows of a minute on new servers, throughput rose for four to five seconds (docs/tuning-and-ceilings.md).
 */
const afterStart = 4.5;

/** The same times with the longer warm-up, for the first trial on new servers. */
export function brokenIn(timing: RunPlan['timing']): RunPlan['timing'] {
  return { ...timing, warmupMs: timing.warmupMs * afterStart };
}

/** By how much that trial is longer. */
export function breakInMs(warmupMs: number): number {
  return warmupMs * (afterStart - 1);
}

export interface TrialTimes {
  readonly warmup: number;
  readonly duration: number;
  readonly deployments?: RunPlan['deployments'];
}

interface Timed {
  readonly target: TargetDefinition;
  readonly sessions: number;
  readonly depth: number;
  /** Of an open loop: its latency is not estimated, because it does not use all of its slots. */
  readonly rate?: number | undefined;
}

/** How long a run of these cells is expected to take, milliseconds: with much in flight, windows are longer. */
export function expectedMs(specs: readonly Timed[], rounds: number, times: TrialTimes): number {
  return runMs(specs, rounds, times, ({ sessions, depth, rate }) =>
    rate === undefined ? (sessions * depth * 1000) / ratePerSecond : 0,
  );
}

/** How long it takes at least, where no latency lengthens a window. */
export function leastMs(specs: readonly Timed[], rounds: number, times: TrialTimes): number {
  return runMs(specs, rounds, times, () => 0);
}

function runMs(
  specs: readonly Timed[],
  rounds: number,
  { warmup, duration, deployments }: TrialTimes,
  latencyMsOf: (spec: Timed) => number,
): number {
  const targets = new Set(specs.map(({ target }) => target.target)).size;
  const trialsMs = specs.reduce((sum, spec) => {
    const latencyMs = latencyMsOf(spec);
    const warmupMs = Math.max(warmup * warmupFactor, warmupLatencies * latencyMs);
    return sum + warmupMs + Math.max(duration, windowLatencies * latencyMs) + trialOverheadMs;
  }, 0);
  const starts = deployments === 'each' ? rounds : 1;
  const startsMs = targets * (provisionMs + (starts - 1) * restartMs + starts * breakInMs(warmup));
  return startMs + startsMs + rounds * trialsMs;
}
