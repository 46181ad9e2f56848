import { int64, uniform } from '@fair-bench/workload';
import type { Arguments, Named, Past, Touches, Transaction } from '@fair-bench/workload';
import { atTerminal } from './new-order.ts';

const ordersLooked = 20;

/** The items of the last orders of a district. */
function itemsOf(
  tx: Pick<Transaction, 'rows'>,
  [w, d]: readonly [number, number],
  next: number,
): Set<number> {
  const orders = Array.from({ length: ordersLooked }, (_, back) => next - 1 - back).filter((o) => o > 0);
  const lines = orders.flatMap((o) => tx.rows('order_line', [w, d, o]));
  return new Set(lines.map((line) => Number(line.int('ol_i_id'))));
}

function does(tx: Transaction, given: Arguments, reply: readonly Named[] | null) {
  const [w, d] = [given.key('w_id'), given.key('d_id')];
  const next = tx.row('district', [w, d]).int('d_next_o_id');
  // Beside other operations, `between` judges what it counts.
  if (reply !== null) return { next };
  const isLow = (item: number): boolean =>
    tx.row('stock', [w, item]).int('s_quantity') < given.int('threshold');
  return { next, low: BigInt([...itemsOf(tx, [w, d], Number(next))].filter(isLow).length) };
}

function found(chains: Touches, given: Arguments, reply: readonly Named[]): void {
  const next = Number(reply[0]?.int('next'));
  chains.read('district', [given.key('w_id'), given.key('d_id')], next);
}

/** The items of the last orders, each with all quantities that its stock had meanwhile: so many can have been low, and so many must. */
function between(past: Past, given: Arguments, [row]: readonly Named[]): string | null {
  const [w, d] = [given.key('w_id'), given.key('d_id')];
  const items = itemsOf(past.tx, [w, d], Number(row?.int('next')));
  const isLow = (quantity: bigint): boolean => quantity < given.int('threshold');
  let [least, most] = [0, 0];
  for (const item of items) {
    const quantities = past.values('stock', [w, item], 's_quantity');
    if (quantities.every(isLow)) least += 1;
    if (quantities.some(isLow)) most += 1;
  }
  const low = Number(row?.int('low'));
  return low >= least && low <= most
    ? null
    : `${low} items are low in stock, of ${items.size}; at least ${least} were, and at most ${most}`;
}

/** Clause 2.8. */
export const stockLevel = {
  weight: 4,
  reported: { p90MsMax: 20000 },
  arguments: { ...atTerminal, threshold: int64(uniform(10, 20)) },
  returns: { next: int64, low: int64 },
  code: { does, found, between },
};
