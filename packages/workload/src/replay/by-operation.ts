import type { OperationFinding } from '@fair-bench/contract';
import type { Workload } from '../resolved.ts';
import { Uint32List } from './growing.ts';
import { neverUs } from './log-format.ts';
import { applied, declined, inDoubt, type Replayed } from './session-replay.ts';

interface Counted {
  applied: number;
  declined: number;
  faults: number;
  /** Microseconds. */
  readonly latencies: Uint32List;
}

/** Counts the operations of each kind that ended in the timed window, with their latencies. */
export class ByOperation {
  readonly #workload: Workload;
  readonly #window: readonly [begin: number, end: number];
  readonly #counted: readonly Counted[];

  constructor(workload: Workload, window: readonly [begin: number, end: number]) {
    this.#workload = workload;
    this.#window = window;
    this.#counted = workload.operations.map(() => ({
      applied: 0,
      declined: 0,
      faults: 0,
      latencies: new Uint32List(),
    }));
  }

  note({ operation, status, sentUs, settledUs }: Replayed): void {
    const counted = this.#counted[operation];
    const [begin, end] = this.#window;
    if (counted === undefined || settledUs === neverUs || settledUs < begin || settledUs >= end) return;
    if (status === applied) counted.applied += 1;
    else if (status === declined) counted.declined += 1;
    else counted.faults += 1;
    if (status !== inDoubt) counted.latencies.push(settledUs - sentUs);
  }

  finding(): readonly OperationFinding[] {
    return this.#workload.operations.flatMap(({ name, weight, description: { reported } }, number) => {
      const counted = this.#counted[number];
      if (counted === undefined || weight === 0) return [];
      const { latencies, ...counts } = counted;
      const latencyMs = latenciesOf(latencies.view().slice().sort());
      return [{ operation: name, ...reported, ...counts, latencyMs }];
    });
  }
}

/** Milliseconds by nearest rank, of microseconds in ascending order; null without any. */
export function latenciesOf(sorted: Uint32Array): OperationFinding['latencyMs'] {
  if (sorted.length === 0) return null;
  const at = (share: number): number => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0) / 1000;
  const sum = sorted.reduce((total, each) => total + each, 0);
  return { mean: sum / sorted.length / 1000, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
