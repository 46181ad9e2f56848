import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import {
  type EncodedHistogram,
  type OperationResult,
  protocolVersion,
  type TrialResult,
} from '@fair-bench/results';
import type { Facts } from '@fair-bench/contract';
import type { TrialEvidence } from '../audit/evidence.ts';

/** Facts of a durable target in good order. */
export const soundFacts: Facts = {
  system: { name: 'example', version: '1.0' },
  provider: 'embedded',
  durability: 'durable',
  isolation: 'read-committed',
  settings: { fsync: 'on' },
  appServer: null,
  wireProtocol: 'example',
  writersMax: 50,
  storage: { directory: null, fileSystem: 'ext4' },
};

/** A histogram of `count` equal values. */
export function histogramOf(count: number, latencyMs: number): EncodedHistogram {
  const us = latencyMs * 1000;
  const histogram = build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 });
  if (count > 0) histogram.recordValueWithCount(us, count);
  return {
    count,
    sumUs: count * us,
    maxUs: count === 0 ? 0 : us,
    hdr: encodeIntoCompressedBase64(histogram),
  };
}

/** Every operation took so long, the 10,000 of the window and the 50 of the drain. */
export function latencyOf(
  latencyMs: number,
): Pick<TrialResult, 'latency' | 'latencyMsMeanWindow' | 'operations'> {
  const none = histogramOf(0, 0);
  const latency = { applied: histogramOf(10_050, latencyMs), declined: none, faults: none };
  return { latency, latencyMsMeanWindow: latencyMs, operations: [writingOperation(latency)] };
}

/** The one operation of the trial, which writes: 10,000 in the window, 12,000 in all. */
export function writingOperation(latency: TrialResult['latency']): OperationResult {
  return {
    name: 'transfer',
    writes: true,
    window: { applied: 10_000, declined: 0, faults: 0 },
    total: { applied: 12_000, declined: 0, faults: 0 },
    latency,
  };
}

/** 10,000 applied operations in 5 s by 50 sessions, 25 ms each: everything adds up. */
export const soundResult: TrialResult = {
  protocol: protocolVersion,
  trialId: 'run/cell-r0',
  client: { name: 'node', version: '0.1.0', runtime: 'node', pid: 1 },
  ending: 'complete',
  timing: { startedAt: '2026-01-01T00:00:00.000Z', startUs: 0, warmupMs: 1000, windowMs: 5000, drainMs: 25 },
  steadyState: { reached: true, windowDrift: 0.01 },
  window: { applied: 10_000, declined: {}, faults: {}, retries: 0, inDoubt: 0 },
  total: { applied: 12_000, declined: {}, faults: {}, retries: 0, inDoubt: 0 },
  outstandingPeak: 50,
  unanswered: 0,
  ...latencyOf(25),
  openLoop: null,
  replySlots: { slotMs: 10, slots: 500, empty: 2, max: 60, counts: [] },
  appliedSlots: [],
  series: [],
  effort: { cpuUserUs: 1_500_000, cpuSystemUs: 400_000, loopUtilization: 0.4, rssBytesMax: 100 * 2 ** 20 },
  log: null,
};

/** Evidence of a good trial; a test changes the one thing it is about. */
export const soundEvidence: TrialEvidence = {
  cell: {
    id: 'cell',
    target: 'example-driver',
    client: 'node',
    workload: 'transfer',
    parameters: {},
    axes: ['alpha'],
    sessions: 50,
    depth: 1,
    batch: 1,
    threads: 1,
  },
  loop: { kind: 'closed' },
  result: soundResult,
  faultsShareMax: 0.01,
  windowMsPlanned: { least: 5_000, most: 60_000 },
  windowMsOrdered: 5_000,
  windowHeard: { beginAfterMs: 1, endAfterMs: 2, runnerLateMs: 3 },
  host: {
    cores: 2,
    busyShare: 0.8,
    stealShare: 0.001,
    waitingShare: 0.4,
    runnable: [2, 3],
    foreignShare: 0.01,
    foreignMost: { command: 'editor', share: 0.01 },
  },
  state: { status: 'passed', rowsChecked: 100_000, mismatches: 0, inDoubt: 0, inDoubtApplied: 0 },
  factsBefore: soundFacts,
  factsAfter: soundFacts,
  countersBefore: { commits: 100, flushes: 10, applied: 0 },
  countersAfter: { commits: 12_110, flushes: 2_010, applied: 12_000 },
  inFlight: { peak: 50 },
  observed: {
    canaries: { planned: 6, read: 6, visible: 6, applied: 0, declined: 0, readAfterMsMax: 1.2, problems: [] },
    outstandingOnWire: 1,
    committedAtWindowBegin: { count: 1_950, readMs: 2 },
    committedAtWindowEnd: { count: 12_000, readMs: 2 },
    committedAtOrderedEnd: { count: 12_000, readMs: 2 },
    committedAfterTrial: 12_006,
    committedHasReads: false,
    settings: { readings: 12, first: { fsync: 'on' }, changes: [] },
    unflushed: { looks: 50, found: [] },
    pooling: null,
    lastWriters: {
      readings: 3,
      subtransactionsMost: 0,
      tables: [{ name: 'account', rowsMost: 2, rowsOfOperationMax: 2 }],
    },
    protocols: null,
  },
  storage: { fsyncPerSecond: 5000, deviceFlushes: 2_100, quietFlushes: 0 },
  writtenBytes: 2_100 * 8192,
};
