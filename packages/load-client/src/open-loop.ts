import type { ClientResult, EncodedHistogram } from '@fair-bench/results/protocol';
import { mergeHistograms } from './histogram.ts';

/**
 * Latencies of all operations, whatever came of them: a system that fails its slow ones would otherwise look faster. In an
 * open loop also the lower bounds of those never started: without them an overload would show only the few that were sent.
 */
export function reportedLatency(
  results: readonly Pick<ClientResult, 'latency' | 'openLoop'>[],
): EncodedHistogram {
  return mergeHistograms(
    results.flatMap(({ latency, openLoop }) => [
      latency.applied,
      latency.declined,
      latency.faults,
      ...(openLoop === null ? [] : [openLoop.unfinished]),
    ]),
  );
}

/** Sums over several threads or clients; null in the closed loop. */
export function mergeOpenLoops(parts: readonly Pick<ClientResult, 'openLoop'>[]): ClientResult['openLoop'] {
  const all = parts.flatMap(({ openLoop }) => openLoop ?? []);
  if (all.length === 0) return null;
  const sumOf = (part: 'due' | 'started' | 'neverStarted'): number =>
    all.reduce((sum, openLoop) => sum + openLoop[part], 0);
  return {
    due: sumOf('due'),
    started: sumOf('started'),
    neverStarted: sumOf('neverStarted'),
    unfinished: mergeHistograms(all.map(({ unfinished }) => unfinished)),
  };
}
