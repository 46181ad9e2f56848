import { type Cell, protocolVersion, type RunPlan, type TrialPlan } from '@fair-bench/results';
import type { Endpoint } from '@fair-bench/contract';
import { plannedJson, resolveWorkload, type WorkloadDescription } from '@fair-bench/workload';

const connectMs = 15_000;
/** A warm-up takes at most this multiple of the longest window, which it needs for eight slices of a tenth each. */
const warmupFactorMax = 1.2;

export interface TrialPaths {
  /** How the load client reaches the target. */
  readonly client: TrialPlan['client'];
  /** The outcome log's path. With null the load client keeps none, and the trial is void: it cannot be audited. */
  readonly log: string | null;
}

/** What a trial inherits from its run. */
export type TrialRun = Pick<RunPlan, 'id' | 'loop' | 'timing' | 'inDoubtShareMax' | 'faultsShareMax'>;

/** The plan of one trial: everything that a load client needs. */
export function trialPlan(
  { run, description }: { readonly run: TrialRun; readonly description: WorkloadDescription },
  cell: Cell,
  trialId: string,
  endpoint: Endpoint,
  paths: TrialPaths,
): TrialPlan {
  return {
    protocol: protocolVersion,
    trialId,
    client: paths.client,
    endpoint: { url: endpoint.url, options: endpoint.options },
    workload: plannedJson(resolveWorkload(description, cell.parameters)),
    sessions: cell.sessions,
    share: null,
    depth: cell.depth,
    batch: cell.batch,
    threads: cell.threads,
    loop: run.loop,
    timing: timingOf(run),
    canaries: [],
    logPath: paths.log,
  };
}

/** The times of a trial's plan. */
export function timingOf({ timing }: TrialRun): TrialPlan['timing'] {
  return {
    warmupMs: timing.warmupMs,
    warmupMsMax: Math.ceil(Math.max(2 * timing.warmupMs, warmupFactorMax * timing.windowMsMax)),
    windowMs: timing.windowMs,
    windowMsMax: timing.windowMsMax,
    drainMs: timing.drainMs,
    connectMs,
    operationMs: timing.operationMs,
  };
}
