import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientEvent, Phase, TrialPlan, TrialResult } from '@fair-bench/results';
import { writeOutcomeLog } from '@fair-bench/workload';
import { sharedNowMs } from './clock.ts';
import { Crew } from './crew.ts';
import { loadModules } from './modules.ts';
import { Progress } from './progress.ts';
import { buildResult } from './result.ts';
import type { WorkerReport } from './worker/messages.ts';
import { isSteady, steadySlices, warmupSliceMs } from './steady-state.ts';

/** What a trial needs of the process that it runs in. */
export interface TrialContext {
  readonly emit: (event: ClientEvent) => void;
  /** Ends the window early. */
  readonly stop: AbortSignal;
}

/** Closing the sessions and encoding a log of millions of operations take this long at most. */
const reportMsMax = 60_000;

/**
 * Runs one trial: connect, warm up, window, drain, result. Rejects when there can be no result: a session
 * that cannot be connected, a target that has died, a stream that throws.
 */
export async function runTrial(plan: TrialPlan, context: TrialContext): Promise<TrialResult> {
  const { workload } = await loadModules(plan);
  const crew = new Crew(plan, workload);
  const progress = new Progress(crew, context.emit);
  try {
    await guarded(crew.connected(), crew, context.stop);
    context.emit({ type: 'ready', sessions: plan.sessions });

    const startedAt = new Date().toISOString();
    const startMs = crew.begin();
    progress.enter('warmup');
    const steady = await warmUp(crew, plan.timing, context.stop);

    const window = await measure(crew, plan.timing, context.stop, (phase) => progress.enter(phase));

    progress.enter('drain');
    const reports = await guarded(crew.reports(plan.timing.drainMs + reportMsMax), crew);
    progress.end();

    const log = await writeLog(plan, reports);
    const course = { startedAt, startMs, steady, ...window, rssBytesMax: progress.rssBytesMax() };
    return buildResult({ plan, workload }, course, reports, log);
  } finally {
    progress.end();
    await crew.end();
  }
}

/** Writes the sections of all workers' sessions to the plan's path; null when the plan wants no log. */
async function writeLog(plan: TrialPlan, reports: readonly WorkerReport[]): Promise<TrialResult['log']> {
  if (plan.logPath === null) return null;
  const sections = reports.map(({ log }) => log);
  return await writeOutcomeLog(plan.logPath, sections).catch((cause: unknown) => {
    throw new Error(`the outcome log cannot be written to ${plan.logPath}`, { cause });
  });
}

/** At least `warmupMs`, longer while throughput is not steady, at most `warmupMsMax`; says whether it became steady. */
async function warmUp(crew: Crew, timing: TrialPlan['timing'], stop: AbortSignal): Promise<boolean> {
  const sliceMs = warmupSliceMs(timing.warmupMs);
  const startMs = sharedNowMs();
  const lastMs = startMs + Math.max(timing.warmupMs, timing.warmupMsMax);
  const throughputs: number[] = [];
  let sliceStartMs = startMs;
  let sliceStartCount = 0;
  while (sliceStartMs < lastMs && !stop.aborted) {
    await until(Math.min(sliceStartMs + sliceMs, lastMs), crew, stop);
    const nowMs = sharedNowMs();
    const { applied } = crew.counts();
    throughputs.push((applied - sliceStartCount) / (nowMs - sliceStartMs));
    if (throughputs.length > steadySlices) throughputs.shift();
    sliceStartMs = nowMs;
    sliceStartCount = applied;
    if (nowMs >= startMs + timing.warmupMs && isSteady(throughputs)) return true;
  }
  return false;
}

/** What `measure` found; the window's true bounds. */
export interface MeasuredWindow {
  readonly ending: 'complete' | 'stopped';
  readonly fromMs: number;
  readonly untilMs: number;
  readonly cpu: NodeJS.CpuUsage;
}

async function measure(
  crew: Crew,
  timing: TrialPlan['timing'],
  stop: AbortSignal,
  enter: (phase: Phase) => void,
): Promise<MeasuredWindow> {
  const fromMs = sharedNowMs() + crew.leadMs;
  const untilMs = fromMs + (stop.aborted ? 0 : timing.windowMs);
  crew.setWindow(fromMs, untilMs);
  await until(fromMs, crew);
  enter('window');
  const cpuFrom = process.cpuUsage();
  await until(untilMs, crew, stop);
  const nowMs = sharedNowMs() + crew.leadMs;
  const stopped = stop.aborted && (nowMs < untilMs || fromMs === untilMs);
  const endMs = Math.min(untilMs, nowMs);
  if (stopped) {
    crew.setWindow(fromMs, endMs);
    await until(endMs, crew);
  }
  const cpu = process.cpuUsage(cpuFrom);
  return { ending: stopped ? 'stopped' : 'complete', fromMs, untilMs: endMs, cpu };
}

/** Waits for a time of the shared clock; sooner when told to stop; rejects when the trial has failed. */
async function until(timeMs: number, crew: Crew, stop?: AbortSignal): Promise<void> {
  const signal = stop === undefined ? crew.failure : AbortSignal.any([crew.failure, stop]);
  for (let leftMs = timeMs - sharedNowMs(); leftMs > 0 && !signal.aborted; leftMs = timeMs - sharedNowMs()) {
    await sleep(leftMs, undefined, { signal }).catch(() => undefined);
  }
  crew.failure.throwIfAborted();
}

/** The promise, unless the trial fails first, or is told to stop before its first operation. */
function guarded<T>(promise: Promise<T>, crew: Crew, stop?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (): void => reject(crew.failure.reason);
    const stopped = (): void => reject(new Error('told to stop before the first operation'));
    if (crew.failure.aborted) failed();
    if (stop?.aborted === true) stopped();
    crew.failure.addEventListener('abort', failed, { once: true });
    stop?.addEventListener('abort', stopped, { once: true });
    promise.then(resolve, reject);
  });
}
