import type { BalancePage, Transfer, TransferAccess, TransferDataset } from '@fair-bench/contract';

/** A double of a database: a table in memory, whose rows a test can spoil. */
export class InMemoryAccounts implements TransferAccess {
  rows: [id: number, balance: bigint][] = [];

  seed({ accounts, initialBalance }: TransferDataset): Promise<void> {
    this.rows = Array.from({ length: accounts }, (_, id) => [id, initialBalance]);
    return Promise.resolve();
  }

  apply({ source, target, amount }: Transfer): void {
    this.add(source, -amount);
    this.add(target, amount);
  }

  add(account: number, amount: bigint): void {
    const row = this.rows.find(([id]) => id === account);
    if (row) row[1] += amount;
  }

  async *balances(signal: AbortSignal): AsyncIterable<BalancePage> {
    for (let start = 0; start < this.rows.length; start += 37) {
      signal.throwIfAborted();
      const page = this.rows.slice(start, start + 37);
      yield { ids: page.map(([id]) => id), balances: page.map(([, balance]) => balance) };
      await Promise.resolve();
    }
  }
}
