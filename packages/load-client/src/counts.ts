import { type DeclineReason, type FaultCode, declineReasons, faultCodes } from '@fair-bench/contract';
import type { OutcomeCounts } from '@fair-bench/results';

/**
 * Where each counter lies in a block of counters. A block is a Float64Array over shared memory, so that
 * the coordinating thread reads throughput without a message from the timed loop; a double holds counts
 * up to 2⁵³ exactly.
 */
export const appliedIndex = 0;
export const retriesIndex = 1;
export const inDoubtIndex = 2;
const declinedIndexFirst = 3;
const faultIndexFirst = declinedIndexFirst + declineReasons.length;
export const countersPerBlock = faultIndexFirst + faultCodes.length;

const declinedIndexes: ReadonlyMap<string, number> = new Map(
  declineReasons.map((reason, index) => [reason, declinedIndexFirst + index]),
);
const faultIndexes: ReadonlyMap<string, number> = new Map(
  faultCodes.map((code, index) => [code, faultIndexFirst + index]),
);

/** Where a decline is counted; throws when a connector invented the reason. */
export function declinedIndex(reason: DeclineReason): number {
  return known(declinedIndexes.get(reason), 'decline reason', reason);
}

/** Where a fault is counted; throws when a connector invented the code. */
export function faultIndex(code: FaultCode): number {
  return known(faultIndexes.get(code), 'fault code', code);
}

/** Sums of a block by kind of outcome. */
export interface KindCounts {
  readonly applied: number;
  readonly declined: number;
  readonly faults: number;
}

export function kindCounts(block: Float64Array): KindCounts {
  return {
    applied: block[appliedIndex] ?? 0,
    declined: sum(block, declinedIndexFirst, faultIndexFirst),
    faults: sum(block, faultIndexFirst, countersPerBlock),
  };
}

/** A block as it stands in the trial result; counters that are zero are left out. */
export function toOutcomeCounts(block: Float64Array): OutcomeCounts {
  const counts: OutcomeCounts = {
    applied: block[appliedIndex] ?? 0,
    declined: {},
    faults: {},
    retries: block[retriesIndex] ?? 0,
    inDoubt: block[inDoubtIndex] ?? 0,
  };
  for (const reason of declineReasons) {
    const count = block[declinedIndex(reason)] ?? 0;
    if (count > 0) counts.declined[reason] = count;
  }
  for (const code of faultCodes) {
    const count = block[faultIndex(code)] ?? 0;
    if (count > 0) counts.faults[code] = count;
  }
  return counts;
}

/** The sum of outcome counts: of a trial's threads, or of a cell's trials. */
export function mergeCounts(all: readonly OutcomeCounts[]): OutcomeCounts {
  const merged: OutcomeCounts = { applied: 0, declined: {}, faults: {}, retries: 0, inDoubt: 0 };
  for (const counts of all) {
    merged.applied += counts.applied;
    merged.retries += counts.retries;
    merged.inDoubt += counts.inDoubt;
    for (const reason of declineReasons) {
      const count = counts.declined[reason] ?? 0;
      if (count > 0) merged.declined[reason] = (merged.declined[reason] ?? 0) + count;
    }
    for (const code of faultCodes) {
      const count = counts.faults[code] ?? 0;
      if (count > 0) merged.faults[code] = (merged.faults[code] ?? 0) + count;
    }
  }
  return merged;
}

function sum(block: Float64Array, from: number, until: number): number {
  let total = 0;
  for (let index = from; index < until; index += 1) total += block[index] ?? 0;
  return total;
}

function known(index: number | undefined, what: string, name: string): number {
  if (index === undefined) throw new Error(`the connector answered with an unknown ${what}, "${name}"`);
  return index;
}
