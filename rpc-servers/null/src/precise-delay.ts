/** A timer fires up to this much late, so the event loop turns during the last stretch. */
const timerErrorMs = 2;

/**
 * The same delay for every caller, accurate to a few hundredths of a millisecond. `setTimeout` counts whole
 * milliseconds and fires late by up to another; it covers the coarse part, and `setImmediate` the rest, while
 * requests still arrive. It burns a core, which a calibration target may do.
 */
export class PreciseDelay {
  readonly #delayMs: number;
  /** Due in the order of the calls, because the delay is the same for all. */
  readonly #waiting: { readonly dueMs: number; readonly release: () => void }[] = [];
  #head = 0;
  #timer: NodeJS.Timeout | null = null;
  #armed = false;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  wait(): Promise<void> {
    return new Promise((release) => {
      this.#waiting.push({ dueMs: performance.now() + this.#delayMs, release });
      if (!this.#armed) this.#arm();
    });
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const waiting of this.#waiting.splice(0).slice(this.#head)) waiting.release();
    this.#head = 0;
  }

  readonly #arm = (): void => {
    const next = this.#waiting[this.#head];
    this.#armed = next !== undefined;
    if (next === undefined) return;
    const remainingMs = next.dueMs - performance.now();
    if (remainingMs > timerErrorMs) this.#timer = setTimeout(this.#arm, remainingMs - timerErrorMs);
    else setImmediate(this.#release);
  };

  readonly #release = (): void => {
    const nowMs = performance.now();
    let next = this.#waiting[this.#head];
    while (next !== undefined && next.dueMs <= nowMs) {
      this.#head += 1;
      next.release();
      next = this.#waiting[this.#head];
    }
    if (this.#head > 1024) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    this.#arm();
  };
}
