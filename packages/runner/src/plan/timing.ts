import type { ClientName, RunPlan } from '@fair-bench/results';
import type { TargetDefinition } from '../targets/definition.ts';

/**
 * The time of a trial beside its warm-up and window: seeding, settling, connecting, draining, audit. Measured on two
 * busy cores; a faster machine needs less.
 */
export const trialOverheadMs = 1500;
/** A warm-up is prolonged while throughput is not steady. */
const warmupFactor = 1.2;
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
 * How many times as long a warm-up is while code is not yet compiled: that of new servers, and that of the Node load
 * client, which is a new process in each trial. In windows of a minute throughput rose for four to five seconds on new
 * servers, and by the Node client on any server for two to three (docs/tuning-and-ceilings.md).
 */
const uncompiled = { server: 4.5, client: { node: 2.5, native: 1 } } as const;

/** The times of a trial, with the warm-up that its code needs. */
export function warmedUp(
  timing: RunPlan['timing'],
  { client, isFirst }: { readonly client: ClientName; readonly isFirst: boolean },
): RunPlan['timing'] {
  const { server, client: clients } = uncompiled;
  return { ...timing, warmupMs: timing.warmupMs * (isFirst ? server : clients[client]) };
}

/**
 * By how much the first trials on new servers are longer than others.
 * @param clients by target, the client of its first trial.
 */
export function breakInsMs(warmupMs: number, clients: ReadonlyMap<string, ClientName>): number {
  const { server, client: usual } = uncompiled;
  return [...clients.values()].reduce((sum, client) => sum + warmupMs * (server - usual[client]), 0);
}

export interface TrialTimes {
  readonly warmup: number;
  readonly duration: number;
  readonly deployments?: RunPlan['deployments'];
}

interface Timed {
  readonly target: TargetDefinition;
  readonly client: ClientName;
  readonly sessions: number;
  readonly depth: number;
  /** Of an open loop: its latency is not estimated, because it does not use all of its slots. */
  readonly ratePerSecond?: number | undefined;
}

/** How long a run of these cells is expected to take, milliseconds: with much in flight, windows are longer. */
export function expectedMs(specs: readonly Timed[], rounds: number, times: TrialTimes): number {
  return runMs(specs, rounds, times, ({ sessions, depth, ratePerSecond: rate }) =>
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
  const clients = new Map(specs.map(({ target, client }) => [target.target, client]));
  const trialsMs = specs.reduce((sum, spec) => {
    const latencyMs = latencyMsOf(spec);
    const compiledMs = warmup * uncompiled.client[spec.client];
    const warmupMs = Math.max(compiledMs * warmupFactor, warmupLatencies * latencyMs);
    return sum + warmupMs + Math.max(duration, windowLatencies * latencyMs) + trialOverheadMs;
  }, 0);
  const starts = deployments === 'each' ? rounds : 1;
  const startsMs = clients.size * (provisionMs + (starts - 1) * restartMs);
  return startMs + startsMs + starts * breakInsMs(warmup, clients) + rounds * trialsMs;
}
