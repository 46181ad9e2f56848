import type {
  AgentShare,
  ClientResult,
  OperationResult,
  SeriesPoint,
  TrialResult,
} from '@fair-bench/results/protocol';
import { mergeCounts } from './counts.ts';
import { mergeHistograms } from './histogram.ts';
import { mergeOpenLoops } from './open-loop.ts';

/** The result of one share of a trial, with the machine that measured it. */
export interface PartOfTrial {
  readonly result: ClientResult;
  readonly agent: AgentShare;
}

/** One result of a trial that several clients shared; `log` is the merged one. Throws without parts. */
export function mergeClientResults(
  parts: readonly PartOfTrial[],
  log: TrialResult['log'],
): ClientResult & Required<Pick<TrialResult, 'agents'>> {
  const results = parts.map(({ result }) => result);
  const [first] = results;
  if (first === undefined) throw new Error('a trial of several machines has no part');
  return {
    ...first,
    ...mergeRecordings(results),
    ending: results.every(({ ending }) => ending === 'complete') ? 'complete' : 'stopped',
    timing: {
      ...first.timing,
      windowMs: maxOf(results, ({ timing }) => timing.windowMs),
      drainMs: maxOf(results, ({ timing }) => timing.drainMs),
    },
    effort: {
      cpuUserUs: sumOf(results, ({ effort }) => effort.cpuUserUs),
      cpuSystemUs: sumOf(results, ({ effort }) => effort.cpuSystemUs),
      loopUtilization: utilizationOf(results),
      rssBytesMax: sumOf(results, ({ effort }) => effort.rssBytesMax),
    },
    log,
    agents: parts.map(({ agent }) => agent),
  };
}

/** What a thread, a client or all clients of a trial recorded. */
export type Recorded = Pick<
  ClientResult,
  | 'window'
  | 'total'
  | 'outstandingPeak'
  | 'unanswered'
  | 'latency'
  | 'operations'
  | 'latencyMsMeanWindow'
  | 'openLoop'
  | 'replySlots'
  | 'appliedSlots'
  | 'series'
>;

/**
 * The recordings of several threads or clients as one: counts, slots and histograms are added, the series by the second
 * since the first operation, which all sent at one instant. Throws without any.
 */
export function mergeRecordings(parts: readonly Recorded[]): Recorded {
  const [first] = parts;
  if (first === undefined) throw new Error('there is no recording');
  const replies = mergeSlots(parts.map(({ replySlots }) => replySlots.counts));
  return {
    window: mergeCounts(parts.map(({ window }) => window)),
    total: mergeCounts(parts.map(({ total }) => total)),
    outstandingPeak: sumOf(parts, ({ outstandingPeak }) => outstandingPeak),
    unanswered: sumOf(parts, ({ unanswered }) => unanswered),
    latency: mergeLatency(parts),
    operations: first.operations.map((_, place) =>
      mergeOperations(parts.flatMap(({ operations }) => operations[place] ?? [])),
    ),
    latencyMsMeanWindow: meanOf(parts, completionsInWindow, (part) => part.latencyMsMeanWindow),
    openLoop: mergeOpenLoops(parts),
    replySlots: replySlotsOf(replies, first.replySlots.slotMs),
    appliedSlots: mergeSlots(parts.map(({ appliedSlots }) => appliedSlots)),
    series: mergeSeries(parts.map(({ series }) => series)),
  };
}

export function replySlotsOf(counts: number[], slotMs: number): ClientResult['replySlots'] {
  return {
    slotMs,
    slots: counts.length,
    empty: counts.filter((count) => count === 0).length,
    max: counts.reduce((max, count) => Math.max(max, count), 0),
    counts,
  };
}

function mergeOperations(parts: readonly OperationResult[]): OperationResult {
  const [first] = parts;
  if (first === undefined) throw new Error('a recording lacks an operation');
  const counts = (of: (part: OperationResult) => OperationResult['total']): OperationResult['total'] => ({
    applied: sumOf(parts, (part) => of(part).applied),
    declined: sumOf(parts, (part) => of(part).declined),
    faults: sumOf(parts, (part) => of(part).faults),
  });
  return {
    ...first,
    window: counts(({ window }) => window),
    total: counts(({ total }) => total),
    latency: mergeLatency(parts),
  };
}

export function mergeLatency(parts: readonly Pick<Recorded, 'latency'>[]): Recorded['latency'] {
  return {
    applied: mergeHistograms(parts.map(({ latency }) => latency.applied)),
    declined: mergeHistograms(parts.map(({ latency }) => latency.declined)),
    faults: mergeHistograms(parts.map(({ latency }) => latency.faults)),
  };
}

function mergeSlots(all: readonly (readonly number[])[]): number[] {
  const length = maxOf(all, (slots) => slots.length);
  return Array.from({ length }, (_, slot) => sumOf(all, (slots) => slots[slot] ?? 0));
}

function mergeSeries(all: readonly (readonly SeriesPoint[])[]): SeriesPoint[] {
  const length = maxOf(all, (series) => series.length);
  return Array.from({ length }, (_, second) => {
    const points = all.flatMap((series) => series[second] ?? []);
    const count = ({ applied, declined, faults }: SeriesPoint): number => applied + declined + faults;
    return {
      second,
      applied: sumOf(points, ({ applied }) => applied),
      declined: sumOf(points, ({ declined }) => declined),
      faults: sumOf(points, ({ faults }) => faults),
      latencyMsMean:
        sumOf(points, count) === 0 ? null : meanOf(points, count, (point) => point.latencyMsMean ?? 0),
    };
  });
}

/** Of the busiest client; null without an event loop. */
function utilizationOf(results: readonly ClientResult[]): number | null {
  const known = results.flatMap(({ effort }) => effort.loopUtilization ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

function completionsInWindow({ operations }: Recorded): number {
  return sumOf(operations, ({ window }) => window.applied + window.declined + window.faults);
}

function meanOf<T>(all: readonly T[], weight: (item: T) => number, value: (item: T) => number): number {
  const weights = sumOf(all, weight);
  return weights === 0 ? 0 : sumOf(all, (item) => weight(item) * value(item)) / weights;
}

function maxOf<T>(all: readonly T[], value: (item: T) => number): number {
  return all.reduce((max, item) => Math.max(max, value(item)), 0);
}

function sumOf<T>(all: readonly T[], value: (item: T) => number): number {
  return all.reduce((sum, item) => sum + value(item), 0);
}
