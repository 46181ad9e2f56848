import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { type EncodedHistogram, sum } from '@fair-bench/results';
import {
  type Check,
  completions,
  outstandingMaxOf,
  pass,
  sumCounts,
  type TrialEvidence,
  fail,
} from '../evidence.ts';

/** The histogram has three significant digits, in whole microseconds. */
const meanToleranceShare = 0.01;
const meanToleranceUs = 1;

/**
 * Percentiles are read from the histograms, so these must describe the same operations as the mean in Little's law:
 * as many values as completed, with the reported mean. They also contain what completed in the drain, at most what
 * was outstanding.
 */
export const checkLatencyRecord: Check = (evidence) => {
  const problem = contentProblem(evidence) ?? operationsProblem(evidence) ?? totalsProblem(evidence);
  if (problem === null) return pass;
  return fail(
    'latency-record',
    `the latency histograms disagree with the counts: ${problem}`,
    'the load client reports latencies that it did not measure',
  );
};

/** Each histogram's own bytes against the count and the sum beside them. */
function contentProblem({ result }: TrialEvidence): string | null {
  const { latency, openLoop } = result;
  const all = { ...latency, ...(openLoop === null ? {} : { unfinished: openLoop.unfinished }) };
  for (const [kind, histogram] of Object.entries(all)) {
    const values = valuesIn(histogram);
    if (values === null) return `${kind} is no HDR histogram`;
    if (values.count !== histogram.count) {
      return `${kind} holds ${values.count} values, its count says ${histogram.count}`;
    }
    if (values.count > 0 && !agree(values.meanUs, histogram.sumUs / histogram.count)) {
      return `${kind} has a mean of ${inMs(values.meanUs)} ms, its sum says ${inMs(histogram.sumUs / histogram.count)} ms`;
    }
  }
  return null;
}

/** The operations' histograms against the trial's: both have the same values. */
function operationsProblem({ result: { latency, operations } }: TrialEvidence): string | null {
  for (const kind of ['applied', 'declined', 'faults'] as const) {
    const own = operations.map((operation) => operation.latency[kind]);
    const count = sum(own.map((histogram) => histogram.count));
    const sumUs = sum(own.map((histogram) => histogram.sumUs));
    if (count !== latency[kind].count || !agree(sumUs, latency[kind].sumUs)) {
      return `${kind} has ${latency[kind].count} values, those of the operations have ${count}`;
    }
  }
  return null;
}

/** All histograms together against the counts and the mean of the window. */
function totalsProblem({ result, cell }: TrialEvidence): string | null {
  const { applied, declined, faults } = result.latency;
  const { window } = result;
  const recorded = [applied, declined, faults];
  const counted = [window.applied, sumCounts(window.declined), sumCounts(window.faults)];
  const drained = sum(recorded.map(({ count }) => count)) - completions(window);
  const drainedMax = outstandingMaxOf(cell);
  if (recorded.some(({ count }, kind) => count < (counted[kind] ?? 0)) || drained > drainedMax) {
    return `they have ${sum(recorded.map(({ count }) => count))} values, ${completions(window)} operations completed in the window and at most ${drainedMax} after it`;
  }
  const windowUs = result.latencyMsMeanWindow * 1000 * completions(window);
  const recordedUs = sum(recorded.map(({ sumUs }) => sumUs));
  const drainedUsMax = drained * Math.max(...recorded.map(({ maxUs }) => maxUs));
  const slackUs = windowUs * meanToleranceShare;
  if (recordedUs >= windowUs - slackUs && recordedUs <= windowUs + drainedUsMax + slackUs) return null;
  return `they sum to ${inMs(recordedUs)} ms, the mean latency of the window says ${inMs(windowUs)} ms`;
}

function valuesIn({ hdr, count }: EncodedHistogram): { count: number; meanUs: number } | null {
  try {
    const histogram = decodeFromCompressedBase64(hdr, 64);
    return { count: histogram.totalCount, meanUs: count === 0 ? 0 : histogram.mean };
  } catch {
    return null;
  }
}

function agree(a: number, b: number): boolean {
  return Math.abs(a - b) <= b * meanToleranceShare + meanToleranceUs;
}

function inMs(us: number): string {
  return (us / 1000).toFixed(1);
}
