/** Repeats a reading until it is stopped, one at a time. */
export class Repeated {
  readonly #read: () => Promise<void>;
  readonly #delayMs: (tookMs: number) => number;
  #reading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** @param delayMs from the end of a reading, which took `tookMs`, to the next. */
  constructor(read: () => Promise<void>, delayMs: (tookMs: number) => number) {
    this.#read = read;
    this.#delayMs = delayMs;
  }

  start(tookMs = 0): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#reading = this.#once();
    }, this.#delayMs(tookMs));
  }

  /** Resolves when no reading is left. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#reading;
  }

  async #once(): Promise<void> {
    const startMs = performance.now();
    // A failed reading is dropped: the readings after the load must succeed, and find a server that is gone.
    await this.#read().catch(() => undefined);
    this.start(performance.now() - startMs);
  }
}
