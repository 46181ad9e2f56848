import type { BalancePage, TransferAccess, TransferDataset } from '@fair-bench/contract';

/** What a reading of the table showed beside expected balances. */
export interface Reading {
  /** Accounts of the dataset that were there. */
  readonly accountsChecked: number;
  /** Accounts touched by in-doubt operations whose balance is not the expected one: found − expected. */
  readonly differences: ReadonlyMap<number, bigint>;
  readonly wrong: Finding;
  readonly unknown: Finding;
  readonly duplicated: Finding;
  readonly missing: Finding;
}

export interface Finding {
  readonly count: number;
  readonly examples: readonly string[];
}

/** Of each kind of mismatch, so many are told in words. */
export const examplesMax = 5;

/**
 * Reads every balance once and compares it with initial + net. Differences on accounts in `inDoubt` are
 * returned for judging; on others they are wrong at once. Memory: one byte per account.
 */
export async function readBalances(
  dataset: TransferDataset,
  nets: Float64Array,
  inDoubt: ReadonlySet<number>,
  access: TransferAccess,
  signal: AbortSignal,
): Promise<Reading> {
  const reader = new BalanceReader(dataset, nets, inDoubt);
  for await (const page of access.balances(signal)) {
    signal.throwIfAborted();
    reader.read(page);
  }
  signal.throwIfAborted();
  return reader.finish();
}

/** "account 17: expected 1000000005, found 1000000000 (−5)" */
export function describeDifference(account: number, expected: bigint, difference: bigint): string {
  const sign = difference < 0n ? '−' : '+';
  const size = difference < 0n ? -difference : difference;
  return `account ${account}: expected ${expected}, found ${expected + difference} (${sign}${size})`;
}

class BalanceReader {
  readonly #dataset: TransferDataset;
  readonly #nets: Float64Array;
  readonly #inDoubt: ReadonlySet<number>;
  /** The initial balance as a number for the fast comparison; NaN where that would not be exact. */
  readonly #initial: number;
  readonly #seen: Uint8Array;
  readonly #differences = new Map<number, bigint>();
  readonly #wrong = new Examples();
  readonly #unknown = new Examples();
  readonly #duplicated = new Examples();
  #accountsChecked = 0;

  constructor(dataset: TransferDataset, nets: Float64Array, inDoubt: ReadonlySet<number>) {
    this.#dataset = dataset;
    this.#nets = nets;
    this.#inDoubt = inDoubt;
    this.#initial = dataset.initialBalance <= exactMax ? Number(dataset.initialBalance) : Number.NaN;
    this.#seen = new Uint8Array(dataset.accounts);
  }

  read({ ids, balances }: BalancePage): void {
    if (ids.length !== balances.length) {
      throw new Error(
        `transfer audit: a page has ${ids.length} ids and ${balances.length} balances; correct the connector's balances()`,
      );
    }
    for (let index = 0; index < ids.length; index += 1) this.#check(ids[index] ?? -1, balances[index] ?? 0n);
  }

  finish(): Reading {
    return {
      accountsChecked: this.#accountsChecked,
      differences: this.#differences,
      wrong: this.#wrong,
      unknown: this.#unknown,
      duplicated: this.#duplicated,
      missing: this.#missing(),
    };
  }

  #check(id: number, balance: bigint): void {
    const seen = this.#seen[id];
    if (seen === undefined) {
      this.#unknown.add(() => `account ${id}: not in the dataset, found ${balance}`);
      return;
    }
    if (seen === 1) {
      this.#duplicated.add(() => `account ${id}: more than one row, another one holds ${balance}`);
      return;
    }
    this.#seen[id] = 1;
    this.#accountsChecked += 1;
    const net = this.#nets[id] ?? 0;
    // The subtraction is exact: both sides are at most 2⁵² in size. Otherwise big integers compare.
    const found = Number(balance);
    if (found - this.#initial === net && Math.abs(found) <= exactMaxNumber) return;
    const expected = this.#dataset.initialBalance + BigInt(net);
    const difference = balance - expected;
    if (difference === 0n) return;
    if (this.#inDoubt.has(id)) this.#differences.set(id, difference);
    else this.#wrong.add(() => describeDifference(id, expected, difference));
  }

  #missing(): Finding {
    const missing = new Examples();
    if (this.#accountsChecked === this.#dataset.accounts) return missing;
    for (let id = this.#seen.indexOf(0); id !== -1; id = this.#seen.indexOf(0, id + 1)) {
      missing.add(() => {
        const expected = this.#dataset.initialBalance + BigInt(this.#nets[id] ?? 0);
        return `account ${id}: expected ${expected}, found no row`;
      });
    }
    return missing;
  }
}

const exactMaxNumber = 2 ** 52;
const exactMax = BigInt(exactMaxNumber);

class Examples implements Finding {
  count = 0;
  readonly examples: string[] = [];

  add(describe: () => string): void {
    this.count += 1;
    if (this.examples.length < examplesMax) this.examples.push(describe());
  }
}
