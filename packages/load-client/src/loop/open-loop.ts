import type { Alarm } from './alarm.ts';
import type { Pace } from './slot.ts';
import type { OfferedLoad, Slot } from './slot-state.ts';

/** The distance of one start from the next, and of the first from the beginning; each start has `operations`. */
export interface Schedule {
  readonly intervalMs: number;
  readonly offsetMs: number;
  readonly operations: number;
}

/**
 * Open loop: requests fall due at a constant rate whatever the target does, and are timed from when they were due
 * (Tene: otherwise a target that stalls stops its own clock). The k-th start is due at begin + offset + k × interval,
 * so the backlog is one number, not a queue. One alarm serves idle slots; while all are busy, completions serve the
 * backlog.
 */
export class OpenLoop implements Pace {
  readonly #schedule: Schedule;
  readonly #free: SlotRing;
  readonly #run: (slot: Slot, dueMs: number) => void;
  #firstMs = 0;
  #started = 0;
  #startedInWindow = 0;
  #fromMs = Number.POSITIVE_INFINITY;
  #untilMs = Number.POSITIVE_INFINITY;
  readonly #alarm: Alarm;
  #isArmed = false;
  #isOver = false;

  constructor(
    schedule: Schedule,
    slots: readonly Slot[],
    alarm: Alarm,
    run: (slot: Slot, dueMs: number) => void,
  ) {
    this.#schedule = schedule;
    this.#alarm = alarm;
    this.#free = new SlotRing(slots);
    this.#run = run;
    alarm.onRing(() => {
      this.#isArmed = false;
      if (!this.#isOver) this.#serve(performance.now());
    });
  }

  begin(startMs: number): void {
    this.#firstMs = startMs + this.#schedule.offsetMs;
    this.#serve(performance.now());
  }

  next(slot: Slot, nowMs: number): number {
    const dueMs = this.#take(nowMs);
    if (dueMs < 0) {
      this.#free.push(slot);
      if (!this.#isArmed) this.#arm(nowMs);
    }
    return dueMs;
  }

  setWindow(fromMs: number, untilMs: number): void {
    this.#fromMs = fromMs;
    this.#untilMs = untilMs;
  }

  end(): void {
    this.#isOver = true;
  }

  offered(): OfferedLoad {
    const { intervalMs, operations } = this.#schedule;
    const dueByEnd = this.#dueBefore(this.#untilMs);
    return {
      due: operations * (dueByEnd - this.#dueBefore(this.#fromMs)),
      started: operations * this.#startedInWindow,
      waiting: {
        count: Math.max(0, dueByEnd - this.#started),
        longestMs: Math.max(0, this.#untilMs - this.#dueMs()),
        intervalMs,
        each: operations,
      },
    };
  }

  /** The number of starts due before a time. */
  #dueBefore(timeMs: number): number {
    return Math.max(0, Math.ceil((timeMs - this.#firstMs) / this.#schedule.intervalMs));
  }

  #serve(nowMs: number): void {
    while (!this.#free.empty()) {
      const dueMs = this.#take(nowMs);
      if (dueMs < 0) {
        this.#arm(nowMs);
        return;
      }
      this.#run(this.#free.shift(), dueMs);
    }
  }

  /** Takes the next start if it is due; negative if it is not, or if the time is over. */
  #take(nowMs: number): number {
    const dueMs = this.#dueMs();
    if (dueMs > nowMs || nowMs >= this.#untilMs) return -1;
    this.#started += 1;
    if (nowMs >= this.#fromMs) this.#startedInWindow += 1;
    return dueMs;
  }

  #dueMs(): number {
    return this.#firstMs + this.#started * this.#schedule.intervalMs;
  }

  #arm(nowMs: number): void {
    if (nowMs >= this.#untilMs) return;
    this.#isArmed = true;
    this.#alarm.set(this.#dueMs());
  }
}

/** The free slots, first in first out, so that the sessions take turns. */
class SlotRing {
  readonly #slots: Slot[];
  #head = 0;
  #count: number;

  constructor(slots: readonly Slot[]) {
    this.#slots = [...slots];
    this.#count = slots.length;
  }

  empty(): boolean {
    return this.#count === 0;
  }

  shift(): Slot {
    const slot = this.#slots[this.#head];
    if (slot === undefined || this.#count === 0) throw new Error('open loop: no slot is free');
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#count -= 1;
    return slot;
  }

  push(slot: Slot): void {
    this.#slots[(this.#head + this.#count) % this.#slots.length] = slot;
    this.#count += 1;
  }
}
