import { bySession, int64, key, records, uniform } from '@fair-bench/workload';
import type { Arguments, Named, Past, Touches, Transaction } from '@fair-bench/workload';
import { writesOf } from './payment.ts';

const nothing = { o_id: 0, c_id: 0, amount: 0n, c_payment_cnt: 0n, c_delivery_cnt: 0n };

/** The oldest order of a district; null where none waits or, as `between` judges, none waited when it looked. */
function oldestOf(
  tx: Transaction,
  [w, d]: readonly [number, number],
  reply: Named | undefined,
): number | null {
  if (reply?.key('o_id') === 0) return null;
  const [oldest] = tx.rows('new_order', [w, d], { limit: 1 });
  return oldest === undefined ? null : oldest.key('no_o_id');
}

function does(tx: Transaction, given: Arguments, reply: readonly Named[] | null) {
  const w = given.key('w_id');
  const deliveredAt = reply?.[0]?.int('ol_delivery_d') ?? null;
  return Array.from({ length: tx.parameter('districts') }, (_, place) => {
    const d = place + 1;
    const o = oldestOf(tx, [w, d], reply?.[place]);
    if (o === null) return { d_id: d, ...nothing };
    const c = Number(tx.row('orders', [w, d, o]).int('o_c_id'));
    const lines = tx.rows('order_line', [w, d, o]);
    const amount = lines.reduce((sum, line) => sum + line.int('ol_amount'), 0n);
    const customer = tx.row('customer', [w, d, c]);
    tx.remove('new_order', [w, d, o]);
    tx.set('orders', [w, d, o], { o_carrier_id: given.int('carrier') });
    for (const line of lines)
      tx.set('order_line', [w, d, o, line.key('ol_number')], { ol_delivery_d: deliveredAt });
    tx.add('customer', [w, d, c], { c_balance: amount, c_delivery_cnt: 1n });
    return {
      d_id: d,
      o_id: o,
      c_id: c,
      amount,
      c_payment_cnt: customer.int('c_payment_cnt'),
      c_delivery_cnt: customer.int('c_delivery_cnt'),
    };
  });
}

function found(chains: Touches, given: Arguments, reply: readonly Named[]): void {
  const w = given.key('w_id');
  for (const row of reply) {
    const [d, o] = [row.key('d_id'), row.key('o_id')];
    if (o === 0) continue;
    chains.after('district', [w, d], o + 1);
    chains.wrote('deliveries', [w, d], o);
    chains.wrote('customer', [w, d, row.key('c_id')], writesOf(row));
  }
}

/** A district is skipped only while as many orders can have been delivered as surely were there. */
function between(past: Past, given: Arguments, reply: readonly Named[]): string | null {
  const w = given.key('w_id');
  const wrong = reply.find((row) => {
    const ofDistrict = [w, row.key('d_id')];
    if (row.key('o_id') !== 0) return false;
    return past.number('deliveries', ofDistrict).most < past.number('district', ofDistrict).least;
  });
  return wrong === undefined ? null : `it skips district ${wrong.key('d_id')}, where an order waits`;
}

/** Clause 2.7, as one transaction for all districts of a warehouse. */
export const delivery = {
  weight: 4,
  reported: { p90MsMax: 5000 },
  arguments: { w_id: key('warehouse', bySession()), carrier: int64(uniform(1, 10)) },
  returns: records({
    d_id: key,
    o_id: key,
    c_id: key,
    amount: int64,
    c_payment_cnt: int64,
    c_delivery_cnt: int64,
    ol_delivery_d: int64,
  }),
  code: { writes: { new_order: 10, orders: 10, order_line: 150, customer: 10 }, does, found, between },
};
