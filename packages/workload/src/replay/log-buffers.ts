/** The maximal size of one thread's logs; beyond it reads are dropped before anything else is refused. */
export class LogBudget {
  readonly #limitBytes: number;
  readonly #thin: () => void;
  #bytes = 0;
  /** One in this many rows has its reads logged: 1, 2, 4, or 0 for none. */
  readsOfEvery = 1;
  /** Whether writes did not fit: the log is then incomplete, and the trial void. */
  overflowed = false;

  constructor(limitBytes: number, thin: () => void) {
    this.#limitBytes = limitBytes;
    this.#thin = thin;
  }

  take(bytes: number): boolean {
    while (this.#bytes + bytes > this.#limitBytes) {
      if (this.readsOfEvery === 0) return false;
      this.readsOfEvery = this.readsOfEvery === 4 ? 0 : this.readsOfEvery * 2;
      this.#thin();
    }
    this.#bytes += bytes;
    return true;
  }

  /** Whether so many bytes leave half of the bound to what must be logged. */
  hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= this.#limitBytes / 2;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  overflow(): void {
    this.overflowed = true;
  }
}

const chunkWordsMin = 256;
const chunkWordsMax = 65_536;

/** Appended 32-bit words, in chunks that double up to 256 KiB; growing copies nothing. */
export class WordBuffer {
  readonly #budget: LogBudget;
  readonly #full: Uint32Array[] = [];
  #chunk = new Uint32Array(0);
  #length = 0;

  constructor(budget: LogBudget) {
    this.#budget = budget;
  }

  /** Reserves this many consecutive words; false when the budget is used up. */
  reserve(count: number): boolean {
    if (this.#length + count <= this.#chunk.length) return true;
    const next = Math.max(count, Math.min(chunkWordsMax, Math.max(chunkWordsMin, this.#chunk.length * 2)));
    if (!this.#budget.take(next * 4)) return false;
    if (this.#length > 0) this.#full.push(this.#chunk.subarray(0, this.#length));
    this.#chunk = new Uint32Array(next);
    this.#length = 0;
    return true;
  }

  /** Within what was reserved. */
  push(word: number): void {
    this.#chunk[this.#length] = word;
    this.#length += 1;
  }

  clear(): void {
    for (const { buffer } of [...this.#full, this.#chunk]) this.#budget.give(buffer.byteLength);
    this.#full.length = 0;
    this.#chunk = new Uint32Array(0);
    this.#length = 0;
  }

  parts(): Uint32Array[] {
    return [...this.#full, this.#chunk.subarray(0, this.#length)];
  }
}

/** Small, so that ten thousand sessions do not use up the budget with unused times. */
const operationsPerChunk = 512;

/** Sent and settled times by the operation's number, 8 bytes each. */
export class Times {
  readonly #budget: LogBudget;
  readonly #chunks: Uint32Array[] = [];

  constructor(budget: LogBudget) {
    this.#budget = budget;
  }

  /** Whether the operation's times can be logged without taking the room of what must be. */
  hasRoom(sequence: number): boolean {
    const missing = Math.floor(sequence / operationsPerChunk) + 1 - this.#chunks.length;
    return missing <= 0 || this.#budget.hasRoom(missing * operationsPerChunk * 8);
  }

  isSet(sequence: number): boolean {
    return Math.floor(sequence / operationsPerChunk) < this.#chunks.length;
  }

  /** Rounds outwards to whole microseconds, so that the logged interval covers the real one. */
  set(sequence: number, sentUs: number, settledUs: number): void {
    const number = Math.floor(sequence / operationsPerChunk);
    while (this.#chunks.length <= number) {
      if (!this.#budget.take(operationsPerChunk * 8)) return this.#budget.overflow();
      this.#chunks.push(new Uint32Array(operationsPerChunk * 2));
    }
    const chunk = this.#chunks[number];
    if (chunk === undefined) return undefined;
    const place = (sequence % operationsPerChunk) * 2;
    chunk[place] = Math.floor(sentUs);
    chunk[place + 1] = Math.ceil(settledUs);
    return undefined;
  }

  parts(): Uint32Array[] {
    return this.#chunks;
  }
}
