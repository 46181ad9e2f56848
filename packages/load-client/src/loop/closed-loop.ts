import type { Pace, Slot } from './slot.ts';

/** Closed loop: a slot sends as soon as its last operation is settled, and is timed from the sending. */
export class ClosedLoop<Operation> implements Pace<Operation> {
  readonly #slots: readonly Slot<Operation>[];
  readonly #run: (slot: Slot<Operation>, dueMs: number) => void;
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(slots: readonly Slot<Operation>[], run: (slot: Slot<Operation>, dueMs: number) => void) {
    this.#slots = slots;
    this.#run = run;
  }

  begin(): void {
    for (const slot of this.#slots) this.#run(slot, Number.POSITIVE_INFINITY);
  }

  next(_slot: Slot<Operation>, nowMs: number): number {
    return nowMs < this.#untilMs ? Number.POSITIVE_INFINITY : -1;
  }

  endAt(untilMs: number): void {
    this.#untilMs = untilMs;
  }

  end(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }
}
