/** Reads until it is stopped, one reading at a time, at moments that no session can know. */
export class Repeated {
  readonly #read: () => Promise<void>;
  readonly #delayMs: (tookMs: number) => number;
  #reading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** @param delayMs between the end of a reading that took so long and the next. */
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
    // A reading that fails says nothing: a server that is gone is found by others.
    await this.#read().catch(() => undefined);
    this.start(performance.now() - startMs);
  }
}
