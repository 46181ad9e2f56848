import type { Cell, MeasuredFaultTrial } from '@fair-bench/results';
import { histogramOf, resultOf } from './trial-records.ts';

interface FaultShape {
  readonly cell: Cell;
  readonly trial?: number;
  readonly kind?: MeasuredFaultTrial['fault']['kind'];
  /** The outage: from the fault's beginning until an operation that was sent after it was applied, milliseconds. */
  readonly outageMs?: number;
  readonly beganMs?: number;
  readonly ratePerSecond?: number;
  /** Operations that failed, all in doubt. */
  readonly failed?: number;
  /** What the record says of the longest latency; what is true unless given. */
  readonly latencyMsMax?: number;
  /** The share of the rate that was done before the fault. */
  readonly heldBefore?: number;
  readonly windowMs?: number;
}

/** A fault trial of a simulated server: it does what is offered, nothing in the outage, and then all at once what was due. */
export function faultTrialOf(
  shape: FaultShape,
  changes: Partial<MeasuredFaultTrial> = {},
): MeasuredFaultTrial {
  const { cell, trial = 0, kind = 'kill', outageMs = 500, beganMs = 2_000, ratePerSecond = 1_000 } = shape;
  const { failed = 0, heldBefore = 1, windowMs = 6_500 } = shape;
  const due = (ratePerSecond / 10) * heldBefore;
  const backMs = beganMs + outageMs;
  const appliedSlots = Array.from({ length: windowMs / 100 }, (_, slot) => {
    const fromMs = slot * 100;
    if (fromMs + 100 <= beganMs || fromMs >= backMs) return due;
    return fromMs + 100 > backMs ? (outageMs / 1_000) * ratePerSecond - failed : 0;
  });
  const mostMs = shape.latencyMsMax ?? outageMs - (failed * 1_000) / ratePerSecond;
  const result = resultOf({ cell, round: trial, applied: appliedSlots.reduce((sum, one) => sum + one, 0) });
  const faults = failed === 0 ? {} : { 'connection-lost': failed };
  return {
    status: 'ok',
    cellId: cell.id,
    target: cell.target,
    connector: cell.target,
    fault: { kind, lengthMs: kind === 'pause' ? outageMs : 0, atMs: beganMs },
    trial,
    system: 'PostgreSQL',
    version: '18.4',
    durability: 'durable',
    ratePerSecond,
    batch: 1,
    result: {
      ...result,
      appliedSlots,
      total: { ...result.total, faults, inDoubt: failed },
      latency: { ...result.latency, applied: histogramOf([1_000, mostMs * 1_000]) },
    },
    course: {
      beganMs,
      inForceMs: beganMs,
      endedMs: backMs,
      firstAppliedMs: backMs,
      answeredByTheDead: 0,
      isTimed: true,
    },
    rows: {
      outcome: 'kept',
      lost: 0,
      doubled: 0,
      rowsUnexplained: 0,
      couldHide: 0,
      reason: null,
      examples: [],
    },
    startedByHand: 0,
    ...changes,
  };
}
