import { int64, key, nullValue, records } from '@fair-bench/workload';
import type { Arguments, Named, ScalarValue, Touches, Transaction } from '@fair-bench/workload';
import { atTerminal } from './new-order.ts';
import { customerOf, someCustomer, writesOf } from './payment.ts';

/** In a reply, for what is null in its table. */
const none = -1n;

function shown(value: ScalarValue | null): ScalarValue | null {
  return value === nullValue ? none : value;
}

function does(tx: Transaction, given: Arguments) {
  const [w, d] = [given.key('w_id'), given.key('d_id')];
  const c = customerOf(tx, given, [w, d]);
  const customer = tx.row('customer', [w, d, c]);
  const order = tx.find('orders', [w, d], 'o_c_id', BigInt(c)).at(-1);
  if (order === undefined) throw new Error(`customer (${w}, ${d}, ${c}) has no order`);
  const header = {
    c_id: c,
    c_payment_cnt: customer.int('c_payment_cnt'),
    c_delivery_cnt: customer.int('c_delivery_cnt'),
    c_balance: customer.int('c_balance'),
    o_id: order.key('o_id'),
    o_entry_d: order.value('o_entry_d'),
    o_carrier_id: shown(order.value('o_carrier_id')),
  };
  return tx.rows('order_line', [w, d, order.key('o_id')]).map((line) => ({
    ...header,
    ol_i_id: line.int('ol_i_id'),
    ol_supply_w_id: line.int('ol_supply_w_id'),
    ol_quantity: line.int('ol_quantity'),
    ol_amount: line.int('ol_amount'),
    ol_delivery_d: shown(line.value('ol_delivery_d')),
  }));
}

function found(chains: Touches, given: Arguments, reply: readonly Named[]): void {
  const [w, d] = [given.key('w_id'), given.key('d_id')];
  const [row] = reply;
  if (row === undefined) return;
  const [c, order] = [row.key('c_id'), row.key('o_id')];
  chains.read('customer', [w, d, c], writesOf(row));
  chains.saw('last order', [w, d, c], order);
  if (row.int('o_carrier_id') === none) chains.before('deliveries', [w, d], order + 1);
  else chains.after('deliveries', [w, d], order + 1);
}

/** Clause 2.6. */
export const orderStatus = {
  weight: 4,
  reported: { p90MsMax: 5000 },
  arguments: { ...atTerminal, ...someCustomer },
  returns: records({
    c_id: key,
    c_payment_cnt: int64,
    c_delivery_cnt: int64,
    c_balance: int64,
    o_id: key,
    o_entry_d: int64,
    o_carrier_id: int64,
    ol_i_id: int64,
    ol_supply_w_id: int64,
    ol_quantity: int64,
    ol_amount: int64,
    ol_delivery_d: int64,
  }),
  code: { does, found },
};
