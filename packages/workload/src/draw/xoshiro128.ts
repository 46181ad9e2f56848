/**
 * xoshiro128++ 1.0 (Blackman & Vigna 2019): 32-bit outputs from 128 bits of state, which must not be all zero.
 * Everything is 32-bit integer arithmetic, so a draw allocates nothing.
 */
export class Xoshiro128 {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(state: Uint32Array) {
    this.#a = (state[0] ?? 0) | 0;
    this.#b = (state[1] ?? 0) | 0;
    this.#c = (state[2] ?? 0) | 0;
    this.#d = (state[3] ?? 0) | 0;
  }

  /** The next output as a signed 32-bit integer: its bits are those of the unsigned one. */
  nextInt32(): number {
    const a = this.#a;
    const b = this.#b;
    const sum = (a + this.#d) | 0;
    const result = (((sum << 7) | (sum >>> 25)) + a) | 0;
    const c = this.#c ^ a;
    const d = this.#d ^ b;
    this.#b = b ^ c;
    this.#a = a ^ d;
    this.#c = c ^ (b << 9);
    this.#d = (d << 11) | (d >>> 21);
    return result;
  }
}

/** A double in [0, 1) on the grid of 2⁻⁵³: from 27 bits and 26 bits. */
export function uniformOf(high27: number, low26: number): number {
  return (high27 * 67_108_864 + low26) * 1.110_223_024_625_156_5e-16;
}
