import {
  appliedSlotMs,
  type ClientResult,
  type TrialPlan,
  clientResultSchema,
  protocolVersion,
} from '@fair-bench/results/protocol';
import type { PlannedWorkload } from '@fair-bench/workload/client';
import manifest from '../package.json' with { type: 'json' };
import { Counters } from './counts.ts';
import { mergeLatency, mergeRecordings, type Recorded, replySlotsOf } from './merge-results.ts';
import { replySlotMs } from './recorder.ts';
import { seriesPoints } from './series.ts';
import type { WorkerReport } from './worker/messages.ts';

/** A window with its true bounds on the shared clock, and what the process used in it. */
export interface MeasuredWindow {
  readonly ending: 'complete' | 'stopped';
  readonly fromMs: number;
  readonly untilMs: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly gcMs: number;
}

/** The coordinator's facts of a trial; times of the shared clock. */
interface Course extends MeasuredWindow {
  readonly startedAt: string;
  readonly startMs: number;
  readonly rssBytesMax: number;
}

/** One result from all workers' reports; throws a ZodError when it does not match the schema. */
export function buildResult(
  { plan, workload }: { readonly plan: TrialPlan; readonly workload: PlannedWorkload },
  course: Course,
  reports: readonly WorkerReport[],
  log: ClientResult['log'],
): ClientResult {
  const windowMs = course.untilMs - course.fromMs;
  const endedMs = Math.max(...reports.map((report) => report.endedMs));
  const lengths = { windowMs, trialMs: endedMs - course.startMs };
  return clientResultSchema.parse({
    protocol: protocolVersion,
    trialId: plan.trialId,
    client: {
      name: 'node',
      version: manifest.version,
      runtime: `node ${process.version}`,
      pid: process.pid,
    },
    ending: course.ending,
    timing: {
      startedAt: course.startedAt,
      startUs: course.startMs * 1000,
      warmupMs: course.fromMs - course.startMs,
      windowMs,
      drainMs: Math.max(0, endedMs - course.untilMs),
    },
    ...mergeRecordings(reports.map((report) => recordedBy(report, workload, lengths))),
    effort: {
      cpuUserUs: course.cpu.user,
      cpuSystemUs: course.cpu.system,
      loopUtilization: Math.max(...reports.map((report) => report.loopUtilization)),
      rssBytesMax: course.rssBytesMax,
      // Other threads have collectors of their own.
      ...(plan.threads === 1 ? { gcMs: course.gcMs } : {}),
    },
    log,
  } satisfies ClientResult);
}

function recordedBy(
  report: WorkerReport,
  workload: PlannedWorkload,
  { windowMs, trialMs }: { readonly windowMs: number; readonly trialMs: number },
): Recorded {
  const counters = new Counters(workload);
  const { count, sumMs } = report.windowLatency;
  const operations = workload.operations.flatMap(({ name, writes }, number) => {
    const latency = report.latency[number];
    if (latency === undefined) return [];
    const window = counters.operationCounts(report.window, number);
    return { name, writes, window, total: counters.operationCounts(report.total, number), latency };
  });
  return {
    window: counters.outcomeCounts(report.window),
    total: counters.outcomeCounts(report.total),
    outstandingPeak: report.outstandingPeak,
    unanswered: report.unanswered,
    latency: mergeLatency(operations),
    operations,
    latencyMsMeanWindow: count === 0 ? 0 : sumMs / count,
    openLoop: report.openLoop,
    replySlots: replySlotsOf(wholeSlots(report.replySlots, windowMs, replySlotMs), replySlotMs),
    appliedSlots: wholeSlots(report.appliedSlots, windowMs, appliedSlotMs),
    series: seriesPoints(report.series, trialMs),
  };
}

/** A last, partial slot would look like a drop. */
function wholeSlots(slots: Uint32Array, windowMs: number, slotMs: number): number[] {
  return [...slots.subarray(0, Math.floor(windowMs / slotMs))];
}
