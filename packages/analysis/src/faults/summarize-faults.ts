import { mergeCounts } from '@fair-bench/load-client';
import {
  appliedSlotMs,
  type FaultSummary,
  type FaultTrial,
  type InjectedFaultKind,
  injectedFaultKinds,
  type MeasuredFaultTrial,
  medianOf,
  sum,
} from '@fair-bench/results';
import { beforePerSecond, recoveredShare } from './judge-fault.ts';

/** Throughput is back where it stays so for this many slots. */
const slotsHeld = 5;

/** What each fault did to each cell, in the order of the cells and the kinds. Pure. */
export function summarizeFaults(trials: readonly FaultTrial[], cellIds: readonly string[]): FaultSummary[] {
  return cellIds.flatMap((cellId) =>
    injectedFaultKinds.flatMap((kind) => {
      const own = trials
        .filter(
          (trial) => trial.cellId === cellId && trial.fault.kind === kind && trial.status !== 'interrupted',
        )
        .toSorted((a, b) => a.trial - b.trial);
      const [first] = own;
      return first === undefined ? [] : [summarizeOne(first, kind, own)];
    }),
  );
}

const withoutTimes =
  'operations of this workload have no times in the log: F57 is not judged, and times are those of tenths of a second';

function summarizeOne(
  { cellId, target, fault: { lengthMs } }: FaultTrial,
  kind: InjectedFaultKind,
  own: readonly FaultTrial[],
): FaultSummary {
  const measured = own.filter((trial) => trial.status === 'ok');
  const untimed = measured.some(({ course }) => !course.isTimed);
  const reasons = own.flatMap((trial) => {
    if (trial.status === 'void') return [trial.reason];
    return trial.status === 'unavailable' ? [`not available: ${trial.reason}; ${trial.remedy}`] : [];
  });
  return {
    cellId,
    target,
    fault: kind,
    lengthMs,
    durability: measured[0]?.durability ?? null,
    trials: own.length,
    void: own.filter(({ status }) => status === 'void').length,
    reasons: [...new Set([...reasons, ...(untimed ? [withoutTimes] : [])])],
    found: foundIn(measured),
    courses: measured.map(({ result: { appliedSlots }, course: { beganMs, endedMs } }) => ({
      appliedSlots,
      beganMs,
      endedMs,
    })),
  };
}

function foundIn(measured: readonly MeasuredFaultTrial[]): FaultSummary['found'] {
  const [first] = measured;
  if (first === undefined) return null;
  const withOutcome = (outcome: string): number =>
    measured.filter(({ rows }) => rows.outcome === outcome).length;
  const { applied, inDoubt, faults } = mergeCounts(measured.map(({ result }) => result.total));
  const example = measured.find(({ rows }) => rows.outcome !== 'kept')?.rows;
  return {
    ratePerSecond: first.ratePerSecond,
    kept: withOutcome('kept'),
    lossy: withOutcome('lost'),
    doubling: withOutcome('doubled'),
    differing: withOutcome('differs'),
    undecided: withOutcome('undecided'),
    gone: withOutcome('gone'),
    acknowledged: applied,
    lost: sumKnown(measured.map(({ rows }) => rows.lost)),
    doubled: sumKnown(measured.map(({ rows }) => rows.doubled)),
    namesForgotten:
      first.fault.kind === 'power-cut'
        ? sum(measured.map(({ course }) => course.forgotten?.names ?? 0))
        : null,
    inDoubt,
    errors: faults,
    firstAppliedMs: overTrials(
      measured.map(({ course }) =>
        course.firstAppliedMs === null ? null : course.firstAppliedMs - course.beganMs,
      ),
    ),
    recoveredMs: overTrials(measured.map(recoveredMs)),
    latencyMsMax: overSome(measured.map(({ result }) => result.latency.applied.maxUs / 1_000)),
    byHand: measured.filter(({ startedByHand, notBack }) => startedByHand > 0 || notBack !== undefined)
      .length,
    example: example === undefined ? null : (example.examples[0] ?? example.reason),
  };
}

/**
 * From the beginning of a fault until its throughput is that of before, and stays so for half a second; null where it is not in the
 * window. Where it was too low at some moment of the fault, the time is after the last such moment.
 */
function recoveredMs(trial: MeasuredFaultTrial): number | null {
  const { course, result } = trial;
  const { appliedSlots } = result;
  const least = (beforePerSecond(trial) * recoveredShare * slotsHeld * appliedSlotMs) / 1_000;
  const isGood = (slot: number): boolean => {
    const held = appliedSlots.slice(slot, slot + slotsHeld);
    return held.length === slotsHeld && (held[0] ?? 0) > 0 && sum(held) >= least;
  };
  const first = Math.ceil(course.beganMs / appliedSlotMs);
  const inFault = appliedSlots
    .keys()
    .filter((slot) => slot >= first && slot * appliedSlotMs <= course.endedMs);
  const lastBad = [...inFault].findLast((slot) => !isGood(slot));
  if (lastBad === undefined) return 0;
  const back = [...appliedSlots.keys()].find((slot) => slot > lastBad && isGood(slot));
  if (back === undefined) return null;
  return Math.max(course.firstAppliedMs ?? 0, back * appliedSlotMs) - course.beganMs;
}

function sumKnown(counts: readonly (number | null)[]): number {
  return sum(counts.filter((count) => count !== null));
}

/** Null where one trial has no value: it would be the worst. */
function overTrials(values: readonly (number | null)[]): { median: number; worst: number } | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? overSome(known) : null;
}

function overSome(values: readonly number[]): { median: number; worst: number } {
  return { median: medianOf(values), worst: Math.max(...values) };
}
