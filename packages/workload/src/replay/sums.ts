import { nothingAt } from '../nothing-at.ts';
/**
 * What applied operations add to one column, by row, in wrapping 64-bit arithmetic: a 64-bit column holds no more, so
 * equal sums modulo 2⁶⁴ are equal values. If a decline rule or a read depends on the column, what was taken and what
 * was given are separate: its value always lies between the two.
 */
export class Sums {
  readonly #bounded: boolean;
  /** One sum per row; or two, taken and given, next to each other in the cache. */
  readonly #sums: BigInt64Array;
  /** By row, what operations in doubt may have taken and given. */
  readonly #doubts = new Map<number, readonly [bigint, bigint]>();

  constructor(rows: number, bounded: boolean) {
    this.#bounded = bounded;
    this.#sums = allocate(bounded ? rows * 2 : rows);
  }

  add(row: number, amount: bigint): void {
    const place = this.#bounded ? row * 2 + (amount < 0n ? 0 : 1) : row;
    this.#sums[place] = (this.#sums[place] ?? nothingAt(place)) + amount;
  }

  subtract(row: number, amount: bigint): void {
    const place = this.#bounded ? row * 2 + (amount > 0n ? 0 : 1) : row;
    this.#sums[place] = (this.#sums[place] ?? nothingAt(place)) - amount;
  }

  /** An amount that may have been added. */
  mayAdd(row: number, amount: bigint): void {
    if (!this.#bounded) return;
    const [taken, given] = this.#doubts.get(row) ?? [0n, 0n];
    this.#doubts.set(row, amount < 0n ? [taken + amount, given] : [taken, given + amount]);
  }

  net(row: number): bigint {
    if (!this.#bounded) return this.#sums[row] ?? nothingAt(row);
    return (this.#sums[row * 2] ?? nothingAt(row * 2)) + (this.#sums[row * 2 + 1] ?? nothingAt(row * 2 + 1));
  }

  /** The smallest and largest value that the row can have had, relative to its initial one. */
  range(row: number): readonly [bigint, bigint] {
    const [taken, given] = this.#doubts.get(row) ?? [0n, 0n];
    return [
      (this.#sums[row * 2] ?? nothingAt(row * 2)) + taken,
      (this.#sums[row * 2 + 1] ?? nothingAt(row * 2 + 1)) + given,
    ];
  }
}

function allocate(length: number): BigInt64Array {
  try {
    return new BigInt64Array(length);
  } catch (cause) {
    const mib = Math.ceil((length * 8) / 2 ** 20);
    throw new Error(`replay: no room for ${length} sums (${mib} MiB); use fewer rows`, { cause });
  }
}
