import { nothingAt } from '../nothing-at.ts';
/** 32-bit integers in one typed array that doubles: millions of entries without one object each. */
export class Uint32List {
  #array = new Uint32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#array.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#array);
      this.#array = larger;
    }
    this.#array[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#array[index] ?? nothingAt(index);
  }

  set(index: number, value: number): void {
    this.#array[index] = value;
  }

  /** A view: valid until the next `push`. */
  view(): Uint32Array {
    return this.#array.subarray(0, this.length);
  }
}

/** The same for 64-bit integers. */
export class BigInt64List {
  #array = new BigInt64Array(1024);
  length = 0;

  push(value: bigint): void {
    if (this.length === this.#array.length) {
      const larger = new BigInt64Array(this.length * 2);
      larger.set(this.#array);
      this.#array = larger;
    }
    this.#array[this.length] = value;
    this.length += 1;
  }

  at(index: number): bigint {
    return this.#array[index] ?? nothingAt(index);
  }
}

/** The number of examples for each kind of mismatch in a finding. */
export const examplesMax = 5;

/** A kind of mismatch: its count, and the first few in words. */
export class Mismatches {
  count = 0;
  readonly examples: string[] = [];
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }

  add(describe: () => string): void {
    this.count += 1;
    if (this.examples.length < examplesMax) this.examples.push(describe());
  }
}
