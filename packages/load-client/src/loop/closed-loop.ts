import type { Pace } from './slot.ts';
import type { Slot } from './slot-state.ts';

/**
 * Closed loop: a slot sends as soon as its last operation is settled, and is timed from the sending. First operations
 * are spread evenly over `spreadMs`: sessions that start in step stay in step with a target of constant latency, and
 * the replies would come in bursts.
 */
export class ClosedLoop implements Pace {
  readonly #spreadMs: number;
  readonly #slots: readonly Slot[];
  readonly #run: (slot: Slot, dueMs: number) => void;
  #begun = 0;
  #untilMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(spreadMs: number, slots: readonly Slot[], run: (slot: Slot, dueMs: number) => void) {
    this.#spreadMs = spreadMs;
    this.#slots = slots;
    this.#run = run;
  }

  begin(startMs: number): void {
    // The beginning may be slightly in the future: threads agree on it before they reach it.
    const elapsedMs = Math.max(0, performance.now() - startMs);
    const share = this.#spreadMs === 0 ? 1 : elapsedMs / this.#spreadMs;
    const due = Math.min(this.#slots.length, Math.floor(share * this.#slots.length) + 1);
    const slots = this.#slots.slice(this.#begun, due);
    this.#begun = due;
    for (const slot of slots) this.#run(slot, Number.POSITIVE_INFINITY);
    if (due < this.#slots.length) this.#timer = setTimeout(() => this.begin(startMs), 1);
  }

  next(_slot: Slot, nowMs: number): number {
    return nowMs < this.#untilMs ? Number.POSITIVE_INFINITY : -1;
  }

  setWindow(_fromMs: number, untilMs: number): void {
    this.#untilMs = untilMs;
  }

  offered(): null {
    return null;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }
}
