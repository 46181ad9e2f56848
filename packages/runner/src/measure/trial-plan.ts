import { type Cell, protocolVersion, type RunPlan, type TrialPlan } from '@fair-bench/results';
import type { Endpoint } from '@fair-bench/contract';
import {
  plannedJson,
  resolveWorkload,
  type SessionSpan,
  type WorkloadDescription,
} from '@fair-bench/workload';

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
  {
    run,
    description,
    sessions,
  }: {
    readonly run: TrialRun;
    readonly description: WorkloadDescription;
    /** All sessions of the cell unless given. */
    readonly sessions?: SessionSpan;
  },
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
    ...sharing(cell, sessions),
    depth: cell.depth,
    batch: cell.batch,
    threads: cell.threads,
    loop: sharedLoop(run, cell, sessions),
    timing: timingOf(run),
    canaries: [],
    logPath: paths.log,
  };
}

function sharing(
  { sessions }: Pick<Cell, 'sessions'>,
  span: SessionSpan | undefined,
): Pick<TrialPlan, 'sessions' | 'share'> {
  if (span === undefined || span.count === span.all) return { sessions, share: null };
  return { sessions: span.all, share: { sessionFirst: span.first, sessionCount: span.count } };
}

/** A share of the sessions has that share of a rate. */
function sharedLoop(
  { loop }: Pick<TrialRun, 'loop'>,
  { sessions }: Pick<Cell, 'sessions'>,
  span: SessionSpan | undefined,
): TrialPlan['loop'] {
  if (loop.kind === 'closed' || span === undefined) return loop;
  return { ...loop, ratePerSecond: (loop.ratePerSecond * span.all) / sessions };
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
