import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import {
  type ClientEvent,
  type ClientResult,
  type Phase,
  shareOf,
  type TrialPlan,
} from '@fair-bench/results/protocol';
import { writeOutcomeLog } from '@fair-bench/workload/client';
import { sharedNowMs } from './clock.ts';
import { Workers } from './workers.ts';
import { awaitGo, awaitWindow, type Orders } from './orders.ts';
import { loadModules } from './modules.ts';
import { Progress } from './progress.ts';
import { buildResult, type MeasuredWindow } from './result.ts';
import type { WorkerReport } from './worker/messages.ts';
import { guarded, until } from './waiting.ts';

/** What a trial needs of its process. */
interface TrialContext {
  readonly emit: (event: ClientEvent) => void;
  /** What the leader of the trial orders. */
  readonly orders: Orders;
}

/** The time limit of closing the sessions and encoding a log of millions of operations. */
const reportMsMax = 60_000;

/**
 * Sends the load of one trial: connect, warm up, window, drain, result. Rejects when there can be no result: a session that cannot
 * connect, a dead target, a stream that throws.
 */
export async function runLoad(plan: TrialPlan, context: TrialContext): Promise<ClientResult> {
  const { workload } = await loadModules(plan);
  const workers = new Workers(plan, workload, context.emit);
  const progress = new Progress(workers, context.emit);
  try {
    const stop = context.orders.signal('stop');
    await guarded(workers.connected(), workers, stop);
    const { openMs } = workers;
    const opened = openMs === null ? {} : { openMs };
    context.emit({ type: 'ready', sessions: shareOf(plan).sessionCount, ...opened });

    const ordered = { ...context, plan, workers };
    const startMs = await awaitGo(ordered);
    const startedAt = new Date().toISOString();
    workers.begin(startMs);
    progress.enter('warmup');
    const due = await awaitWindow(ordered, startMs, context.emit);
    const window = await measureWindow(workers, due, stop, (phase) => progress.enter(phase));

    progress.enter('drain');
    const reports = await guarded(workers.reports(plan.timing.drainMs + reportMsMax), workers);
    progress.end();

    const log = await writeLog(plan, reports);
    const course = { startedAt, startMs, ...window, rssBytesMax: progress.rssBytesMax() };
    return buildResult({ plan, workload }, course, reports, log);
  } finally {
    progress.end();
    await workers.end();
  }
}

/** Writes the sections of all workers' sessions to the plan's path; null when the plan wants no log. */
async function writeLog(plan: TrialPlan, reports: readonly WorkerReport[]): Promise<ClientResult['log']> {
  if (plan.logPath === null) return null;
  const sections = reports.map(({ log }) => log);
  return await writeOutcomeLog(plan.logPath, sections).catch((cause: unknown) => {
    throw new Error(`the outcome log cannot be written to ${plan.logPath}`, { cause });
  });
}

async function measureWindow(
  workers: Workers,
  { fromMs, windowMs }: { readonly fromMs: number; readonly windowMs: number },
  stop: AbortSignal,
  enter: (phase: Phase) => void,
): Promise<MeasuredWindow> {
  const untilMs = fromMs + (stop.aborted ? 0 : windowMs);
  workers.setWindow(fromMs, untilMs);
  await until(fromMs, workers);
  enter('window');
  const cpuFrom = process.cpuUsage();
  const gcMs = watchGc();
  await until(untilMs, workers, stop);
  const nowMs = sharedNowMs() + workers.leadMs;
  const stopped = stop.aborted && (nowMs < untilMs || fromMs === untilMs);
  const endMs = Math.min(untilMs, nowMs);
  if (stopped) {
    workers.setWindow(fromMs, endMs);
    await until(endMs, workers);
  }
  const cpu = process.cpuUsage(cpuFrom);
  return { ending: stopped ? 'stopped' : 'complete', fromMs, untilMs: endMs, cpu, gcMs: gcMs() };
}

/** Sums how long garbage collection takes in this thread; gives the sum and ends. */
function watchGc(): () => number {
  let sumMs = 0;
  const add = (entries: readonly PerformanceEntry[]): void => {
    for (const { duration } of entries) sumMs += duration;
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    add(observer.takeRecords());
    observer.disconnect();
    return sumMs;
  };
}
