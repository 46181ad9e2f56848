import { type FaultCode, faultCodes } from '@fair-bench/contract';
import { type OperationCounts, type OutcomeCounts, sum } from '@fair-bench/results/protocol';
import type { PlannedWorkload } from '@fair-bench/workload/client';

/** Counters of the trial, not of an operation. */
export const retriesIndex = 0;
export const inDoubtIndex = 1;
/** The sum of the latencies, from sending to reply, in milliseconds. */
export const latencyIndex = 2;
const operationsIndex = 3;
/** An operation's own counters: applied first, then faults by code and declines by reason. */
const faultOffset = 1;
const declinedOffset = faultOffset + faultCodes.length;

const faultOffsets: ReadonlyMap<string, number> = new Map(
  faultCodes.map((code, index) => [code, faultOffset + index]),
);

interface Place {
  readonly first: number;
  readonly reasons: readonly string[];
  readonly offsets: ReadonlyMap<string, number>;
}

/**
 * The place of each counter of a workload in a block of counters. A block is a Float64Array over shared memory, so
 * that the coordinating thread reads throughput without a message from the timed loop; a double represents counts up
 * to 2⁵³ exactly.
 */
export class Counters {
  /** Counters of a block. */
  readonly length: number;
  readonly #places: readonly Place[];

  constructor({ operations }: Pick<PlannedWorkload, 'operations'>) {
    let first = operationsIndex;
    this.#places = operations.map(({ reasons }) => {
      const offsets = new Map(reasons.map((reason, index) => [reason, declinedOffset + index]));
      const place = { first, reasons, offsets };
      first += declinedOffset + reasons.length;
      return place;
    });
    this.length = first;
  }

  appliedIndex(operation: number): number {
    return this.#place(operation).first;
  }

  /** Throws for a reason that the workload does not declare. */
  declinedIndex(operation: number, reason: string): number {
    const { first, offsets } = this.#place(operation);
    return first + known(offsets.get(reason), 'decline reason', reason);
  }

  /** Throws for an unknown code. */
  faultIndex(operation: number, code: FaultCode): number {
    return this.#place(operation).first + known(faultOffsets.get(code), 'fault code', code);
  }

  kindCounts(block: Float64Array): OperationCounts {
    const all = this.#places.map((_, operation) => this.operationCounts(block, operation));
    return {
      applied: sum(all.map(({ applied }) => applied)),
      declined: sum(all.map(({ declined }) => declined)),
      faults: sum(all.map(({ faults }) => faults)),
    };
  }

  operationCounts(block: Float64Array, operation: number): OperationCounts {
    const { first, reasons } = this.#place(operation);
    const declinedFirst = first + declinedOffset;
    return {
      applied: block[first] ?? 0,
      faults: sum([...block.subarray(first + faultOffset, declinedFirst)]),
      declined: sum([...block.subarray(declinedFirst, declinedFirst + reasons.length)]),
    };
  }

  /** A block in the form of the trial result; zero counters are left out. */
  outcomeCounts(block: Float64Array): OutcomeCounts {
    const counts: OutcomeCounts = {
      applied: 0,
      declined: {},
      faults: {},
      retries: block[retriesIndex] ?? 0,
      inDoubt: block[inDoubtIndex] ?? 0,
    };
    for (const [operation, { first, reasons }] of this.#places.entries()) {
      counts.applied += block[first] ?? 0;
      for (const reason of reasons) {
        addTo(counts.declined, reason, block[this.declinedIndex(operation, reason)] ?? 0);
      }
      for (const code of faultCodes) addTo(counts.faults, code, block[this.faultIndex(operation, code)] ?? 0);
    }
    return counts;
  }

  #place(operation: number): Place {
    const place = this.#places[operation];
    if (place === undefined) throw new Error(`the workload has no operation ${operation}`);
    return place;
  }
}

/** The sum of outcome counts: of a trial's threads, or of a cell's trials. */
export function mergeCounts(all: readonly OutcomeCounts[]): OutcomeCounts {
  const merged: OutcomeCounts = { applied: 0, declined: {}, faults: {}, retries: 0, inDoubt: 0 };
  for (const counts of all) {
    merged.applied += counts.applied;
    merged.retries += counts.retries;
    merged.inDoubt += counts.inDoubt;
    for (const [reason, count] of Object.entries(counts.declined)) addTo(merged.declined, reason, count);
    for (const code of faultCodes) addTo(merged.faults, code, counts.faults[code] ?? 0);
  }
  return merged;
}

function addTo<Key extends string>(counts: Partial<Record<Key, number>>, key: Key, count: number): void {
  if (count > 0) counts[key] = (counts[key] ?? 0) + count;
}

function known(offset: number | undefined, what: string, name: string): number {
  if (offset === undefined) throw new Error(`the connector answered with an unknown ${what}, "${name}"`);
  return offset;
}
