/** Timers and the runner's orders wait no longer for operations that never leave this thread. */
const turnMsMax = 2;
/** The clock is read once in so many operations that only read. */
const readsPerLook = 32;

/**
 * An engine in this thread answers without waiting for anything, so that the event loop would not turn as long as there are
 * operations. Turns are taken between operations: who comes meanwhile is carried out after it.
 */
export class Turns {
  #turn: Promise<void> | null = null;
  #sinceLook = 0;
  #lastMs = performance.now();

  /** The turn that has to come before the next operation; null almost always. */
  get due(): Promise<void> | null {
    return this.#turn;
  }

  /** Call it after each operation. */
  passed(writes: boolean): void {
    this.#sinceLook += 1;
    if (!writes && this.#sinceLook < readsPerLook) return;
    this.#sinceLook = 0;
    if (this.#turn !== null || performance.now() - this.#lastMs < turnMsMax) return;
    this.#turn = new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = null;
        this.#lastMs = performance.now();
        resolve();
      });
    });
  }
}
