import type { AgentShare, OperationResult, SeriesPoint, TrialResult } from '@fair-bench/results/protocol';
import { mergeCounts } from './counts.ts';
import { mergeHistograms } from './histogram.ts';
import { mergeOpenLoops } from './open-loop.ts';
import { sumOf } from './result.ts';

/** The result of one share of a trial, with the machine that measured it. */
export interface PartOfTrial {
  readonly result: TrialResult;
  readonly agent: AgentShare;
}

/**
 * One result of a trial that several clients shared: counts and histograms are added, the series by the second since
 * the first operation, which all sent at one instant. `log` is the merged one. Throws without parts.
 */
export function mergeTrialResults(parts: readonly PartOfTrial[], log: TrialResult['log']): TrialResult {
  const results = parts.map(({ result }) => result);
  const [first] = results;
  if (first === undefined) throw new Error('a trial of several machines has no part');
  return {
    ...first,
    ending: results.every(({ ending }) => ending === 'complete') ? 'complete' : 'stopped',
    timing: {
      ...first.timing,
      windowMs: maxOf(results, ({ timing }) => timing.windowMs),
      drainMs: maxOf(results, ({ timing }) => timing.drainMs),
    },
    steadyState: {
      reached: results.every(({ steadyState }) => steadyState.reached),
      windowDrift: meanOf(
        results,
        ({ window }) => window.applied,
        ({ steadyState }) => steadyState.windowDrift,
      ),
    },
    window: mergeCounts(results.map(({ window }) => window)),
    total: mergeCounts(results.map(({ total }) => total)),
    outstandingPeak: sumOf(results, ({ outstandingPeak }) => outstandingPeak),
    unanswered: sumOf(results, ({ unanswered }) => unanswered),
    latency: mergeLatency(results),
    operations: first.operations.map((_, place) =>
      mergeOperations(results.flatMap(({ operations }) => operations[place] ?? [])),
    ),
    latencyMsMeanWindow: meanOf(results, completionsInWindow, (result) => result.latencyMsMeanWindow),
    openLoop: mergeOpenLoops(results),
    replySlots: {
      ...first.replySlots,
      // All parts have the same slots: one that is empty in the sum is empty in each. An upper bound.
      empty: Math.min(...results.map(({ replySlots }) => replySlots.empty)),
      max: sumOf(results, ({ replySlots }) => replySlots.max),
      counts: mergeSlots(results.map(({ replySlots }) => replySlots.counts)),
    },
    appliedSlots: mergeSlots(results.map(({ appliedSlots }) => appliedSlots)),
    series: mergeSeries(results.map(({ series }) => series)),
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

function mergeOperations(parts: readonly OperationResult[]): OperationResult {
  const [first] = parts;
  if (first === undefined) throw new Error('a trial of several machines has a part without an operation');
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

function mergeLatency(parts: readonly Pick<TrialResult, 'latency'>[]): TrialResult['latency'] {
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
function utilizationOf(results: readonly TrialResult[]): number | null {
  const known = results.flatMap(({ effort }) => effort.loopUtilization ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

function completionsInWindow({ operations }: TrialResult): number {
  return sumOf(operations, ({ window }) => window.applied + window.declined + window.faults);
}

function meanOf<T>(all: readonly T[], weight: (item: T) => number, value: (item: T) => number): number {
  const weights = sumOf(all, weight);
  return weights === 0 ? 0 : sumOf(all, (item) => weight(item) * value(item)) / weights;
}

function maxOf<T>(all: readonly T[], value: (item: T) => number): number {
  return all.reduce((max, item) => Math.max(max, value(item)), 0);
}
