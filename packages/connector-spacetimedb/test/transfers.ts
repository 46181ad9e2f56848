import { fileURLToPath } from 'node:url';
import type { ControlPlane, Row } from '@fair-bench/contract';
import { targetWorkload } from '@fair-bench/workload';
import transfer from '@fair-bench/workloads/transfer';

/** The transfer workload, as a target is started for it. */
export const transfers = targetWorkload({
  description: transfer,
  folder: fileURLToPath(new URL('../../../workloads/transfer/', import.meta.url)),
});

/** Replaces the accounts: `count` of them, each with `balance`. */
export async function seed(tables: ControlPlane, count: number, balance: bigint): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  await tables.clear(0, signal);
  await tables.load(0, onePage(Array.from({ length: count }, (_value, id): Row => [id, balance])), signal);
}

async function* onePage(rows: readonly Row[]): AsyncIterable<readonly Row[]> {
  yield await Promise.resolve(rows);
}

/** Every balance, by account. */
export async function balances(tables: ControlPlane): Promise<readonly bigint[]> {
  const found: bigint[] = [];
  for await (const page of tables.scan(0, AbortSignal.timeout(10_000))) {
    for (const [id, balance] of page) found[Number(id)] = BigInt(balance?.toString() ?? -1);
  }
  return found;
}
