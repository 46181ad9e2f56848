import {
  type TrialPlan,
  type TrialResult,
  protocolVersion,
  trialResultSchema,
} from '@fair-bench/results/protocol';
import type { PlannedWorkload } from '@fair-bench/workload';
import manifest from '../package.json' with { type: 'json' };
import { Counters } from './counts.ts';
import { mergeHistograms } from './histogram.ts';
import { mergeOpenLoops } from './open-loop.ts';
import { appliedSlotMs, replySlotMs } from './recorder.ts';
import { seriesPoints } from './series.ts';
import { driftOf } from './steady-state.ts';
import type { WorkerReport } from './worker/messages.ts';

/** The coordinator's facts of a trial; times of the shared clock. */
export interface Course {
  readonly startedAt: string;
  readonly startMs: number;
  readonly steady: boolean;
  readonly ending: 'complete' | 'stopped';
  readonly fromMs: number;
  readonly untilMs: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly gcMs: number;
  readonly rssBytesMax: number;
}

/** One trial result from all workers' reports; throws a ZodError when it does not match the schema. */
export function buildResult(
  { plan, workload }: { readonly plan: TrialPlan; readonly workload: PlannedWorkload },
  course: Course,
  reports: readonly WorkerReport[],
  log: TrialResult['log'],
): TrialResult {
  const windowMs = course.untilMs - course.fromMs;
  const endedMs = Math.max(...reports.map((report) => report.endedMs));
  const counters = new Counters(workload);
  const applied = appliedSlots(reports, windowMs);
  const window = addBlocks(reports.map((report) => report.window));
  const total = addBlocks(reports.map((report) => report.total));
  const operations = workload.operations.map(({ name, writes }, number) => ({
    name,
    writes,
    window: counters.operationCounts(window, number),
    total: counters.operationCounts(total, number),
    latency: mergeLatency(reports.flatMap(({ latency }) => latency[number] ?? [])),
  }));
  return trialResultSchema.parse({
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
    steadyState: { reached: course.steady, windowDrift: driftOf(applied) },
    window: counters.outcomeCounts(window),
    total: counters.outcomeCounts(total),
    outstandingPeak: sumOf(reports, (report) => report.outstandingPeak),
    unanswered: sumOf(reports, (report) => report.unanswered),
    latency: mergeLatency(operations.map(({ latency }) => latency)),
    operations,
    latencyMsMeanWindow: meanOf(reports.map((report) => report.windowLatency)),
    openLoop: mergeOpenLoops(reports),
    replySlots: replySlotsOf(reports, windowMs),
    appliedSlots: applied,
    series: seriesPoints(
      reports.map((report) => report.series),
      endedMs - course.startMs,
    ),
    effort: {
      cpuUserUs: course.cpu.user,
      cpuSystemUs: course.cpu.system,
      loopUtilization: Math.max(...reports.map((report) => report.loopUtilization)),
      rssBytesMax: course.rssBytesMax,
      // Other threads have collectors of their own.
      ...(plan.threads === 1 ? { gcMs: course.gcMs } : {}),
    },
    log,
  } satisfies TrialResult);
}

function appliedSlots(reports: readonly WorkerReport[], windowMs: number): number[] {
  const slots = addSlots(reports.map((report) => report.appliedSlots));
  // A last, partial slot would look like a drop.
  return slots.slice(0, Math.floor(windowMs / appliedSlotMs));
}

function replySlotsOf(reports: readonly WorkerReport[], windowMs: number): TrialResult['replySlots'] {
  const replies = addSlots(reports.map((report) => report.replySlots));
  const whole = replies.slice(0, Math.floor(windowMs / replySlotMs));
  return {
    slotMs: replySlotMs,
    slots: whole.length,
    empty: whole.filter((count) => count === 0).length,
    max: whole.reduce((max, count) => Math.max(max, count), 0),
    counts: whole,
  };
}

function meanOf(sums: readonly { readonly count: number; readonly sumMs: number }[]): number {
  const count = sumOf(sums, (sum) => sum.count);
  return count === 0 ? 0 : sumOf(sums, (sum) => sum.sumMs) / count;
}

function mergeLatency(all: readonly TrialResult['latency'][]): TrialResult['latency'] {
  return {
    applied: mergeHistograms(all.map(({ applied }) => applied)),
    declined: mergeHistograms(all.map(({ declined }) => declined)),
    faults: mergeHistograms(all.map(({ faults }) => faults)),
  };
}

function addBlocks(all: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: all[0]?.length ?? 0 }, (_, index) =>
    sumOf(all, (block) => block[index] ?? 0),
  );
}

function addSlots(all: readonly Uint32Array[]): number[] {
  const length = all[0]?.length ?? 0;
  return Array.from({ length }, (_, index) => sumOf(all, (slots) => slots[index] ?? 0));
}

export function sumOf<T>(all: readonly T[], value: (item: T) => number): number {
  return all.reduce((sum, item) => sum + value(item), 0);
}
