/**
 * What applied operations add to one column, by row, in 64-bit arithmetic that wraps: a column of 64 bits cannot hold
 * more, so that equal sums modulo 2⁶⁴ are equal values. Where a decline rule or a read judges by the column, what was
 * taken and what was given are kept apart: its value was never outside of the two.
 */
export class Sums {
  readonly #bounded: boolean;
  /** One sum a row; or two, what was taken and what was given, side by side in the cache. */
  readonly #sums: BigInt64Array;
  /** By row, what operations in doubt may have taken and given. */
  readonly #doubts = new Map<number, readonly [bigint, bigint]>();

  constructor(rows: number, bounded: boolean) {
    this.#bounded = bounded;
    this.#sums = allocate(bounded ? rows * 2 : rows);
  }

  add(row: number, amount: bigint): void {
    const place = this.#bounded ? row * 2 + (amount < 0n ? 0 : 1) : row;
    this.#sums[place] = (this.#sums[place] ?? 0n) + amount;
  }

  subtract(row: number, amount: bigint): void {
    const place = this.#bounded ? row * 2 + (amount > 0n ? 0 : 1) : row;
    this.#sums[place] = (this.#sums[place] ?? 0n) - amount;
  }

  /** An amount that may have been added. */
  mayAdd(row: number, amount: bigint): void {
    if (!this.#bounded) return;
    const [taken, given] = this.#doubts.get(row) ?? [0n, 0n];
    this.#doubts.set(row, amount < 0n ? [taken + amount, given] : [taken, given + amount]);
  }

  net(row: number): bigint {
    if (!this.#bounded) return this.#sums[row] ?? 0n;
    return (this.#sums[row * 2] ?? 0n) + (this.#sums[row * 2 + 1] ?? 0n);
  }

  /** The least and the most that the row's value can have been beyond its initial one. */
  range(row: number): readonly [bigint, bigint] {
    const [taken, given] = this.#doubts.get(row) ?? [0n, 0n];
    return [(this.#sums[row * 2] ?? 0n) + taken, (this.#sums[row * 2 + 1] ?? 0n) + given];
  }
}

function allocate(length: number): BigInt64Array {
  try {
    return new BigInt64Array(length);
  } catch (cause) {
    const mib = Math.ceil((length * 8) / 2 ** 20);
    throw new Error(`audit: no room for ${length} sums (${mib} MiB); use fewer rows`, { cause });
  }
}
