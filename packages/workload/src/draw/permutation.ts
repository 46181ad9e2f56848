/**
 * A seeded bijection of [0, size), 1 ≤ size ≤ 2³², in constant memory: three rounds of xorshift, odd multiplication
 * and addition on the next power of two, repeated until the value is below `size` (cycle walking keeps it a
 * bijection). Expected repetitions per call: fewer than 2.
 */
export class Permutation {
  readonly #size: number;
  readonly #mask: number;
  readonly #shift: number;
  readonly #add0: number;
  readonly #add1: number;
  readonly #add2: number;
  readonly #add3: number;
  readonly #multiply1: number;
  readonly #multiply2: number;
  readonly #multiply3: number;

  /** Eight `words` determine the bijection. */
  constructor(seedWords: Uint32Array, size: number) {
    // A single value has no bits to permute; a round over one bit ends at 0 as well.
    const bits = Math.max(1, 32 - Math.clz32(size - 1));
    this.#size = size;
    this.#mask = bits === 32 ? -1 : (1 << bits) - 1;
    this.#shift = (bits + 1) >>> 1;
    const words = Int32Array.from(seedWords);
    this.#add0 = words[0] ?? 0;
    this.#add1 = words[1] ?? 0;
    this.#add2 = words[2] ?? 0;
    this.#add3 = words[3] ?? 0;
    this.#multiply1 = (words[4] ?? 0) | 1;
    this.#multiply2 = (words[5] ?? 0) | 1;
    this.#multiply3 = (words[6] ?? 0) | 1;
  }

  /** Takes and gives the bits of an unsigned 32-bit integer as a signed one. */
  apply(value: number): number {
    const mask = this.#mask;
    const shift = this.#shift;
    let x = value | 0;
    do {
      x = (x + this.#add0) & mask;
      x = (Math.imul(x ^ (x >>> shift), this.#multiply1) + this.#add1) & mask;
      x = (Math.imul(x ^ (x >>> shift), this.#multiply2) + this.#add2) & mask;
      x = (Math.imul(x ^ (x >>> shift), this.#multiply3) + this.#add3) & mask;
    } while (x >>> 0 >= this.#size);
    return x;
  }
}
