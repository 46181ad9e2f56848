import {
  bool,
  bySession,
  chance,
  either,
  int64,
  key,
  list,
  nullValue,
  nurand,
  records,
  text,
  uniform,
} from '@fair-bench/workload';
import type { Arguments, Named, Touches, Transaction } from '@fair-bench/workload';
import { constants } from './names.ts';

/** Of a customer at his terminal: its warehouse is always the same. */
export const atTerminal = {
  w_id: key('warehouse', bySession()),
  d_id: key('district.d_id', uniform()),
};

const line = {
  is_local: bool(chance(99)),
  supply_w_id: key('warehouse', either('lines.is_local', 'w_id', { differs: true })),
  i_id: key('item', nurand(8191, constants.item)),
  quantity: int64(uniform(1, 10)),
};

const returned = {
  o_id: key,
  o_entry_d: int64,
  c_last: text(15),
  c_credit: text(2),
  c_discount: int64,
  w_tax: int64,
  d_tax: int64,
  /** In units of 10⁻¹⁰: amounts of two digits, times a discount and a tax of four each. */
  total: int64,
  i_name: text(24),
  i_price: int64,
  s_quantity: int64,
  is_brand: bool,
  ol_amount: int64,
  /** How many orders of this item the stock had before: it orders the writes of its row. */
  s_order_cnt: int64,
};

/** A row of stock after a line was taken from it (clause 2.4.2.2). */
function taken(stock: Named, ordered: Named, isRemote: boolean) {
  const left = stock.int('s_quantity') - ordered.int('quantity');
  return {
    s_quantity: left >= 10n ? left : left + 91n,
    s_ytd: stock.int('s_ytd') + ordered.int('quantity'),
    s_order_cnt: stock.int('s_order_cnt') + 1n,
    s_remote_cnt: stock.int('s_remote_cnt') + (isRemote ? 1n : 0n),
  };
}

function does(tx: Transaction, given: Arguments, reply: readonly Named[] | null) {
  // The last item of one order in a hundred does not exist: everything is rolled back.
  if (given.flag('is_wrong')) tx.decline('unknown-item');
  const [w, d, c] = [given.key('w_id'), given.key('d_id'), given.key('c_id')];
  const lines = given.list('lines');
  const warehouse = tx.row('warehouse', [w]);
  const district = tx.row('district', [w, d]);
  const customer = tx.row('customer', [w, d, c]);
  const order = Number(district.int('d_next_o_id'));
  const entryD = reply?.[0]?.int('o_entry_d') ?? null;
  tx.add('district', [w, d], { d_next_o_id: 1n });
  tx.insert('orders', {
    o_w_id: w,
    o_d_id: d,
    o_id: order,
    o_c_id: BigInt(c),
    o_entry_d: entryD,
    o_carrier_id: nullValue,
    o_ol_cnt: BigInt(lines.length),
    o_all_local: lines.every((each) => each.key('supply_w_id') === w) ? 1n : 0n,
  });
  tx.insert('new_order', { no_w_id: w, no_d_id: d, no_o_id: order });
  const place = `s_dist_${String(d).padStart(2, '0')}`;
  const takenLines = lines.map((ordered, at) => {
    const [supply, item] = [ordered.key('supply_w_id'), ordered.key('i_id')];
    const wanted = tx.row('item', [item]);
    const stock = tx.row('stock', [supply, item]);
    const after = taken(stock, ordered, supply !== w);
    tx.set('stock', [supply, item], after);
    const amount = ordered.int('quantity') * wanted.int('i_price');
    tx.insert('order_line', {
      ol_w_id: w,
      ol_d_id: d,
      ol_o_id: order,
      ol_number: at + 1,
      ol_i_id: BigInt(item),
      ol_supply_w_id: BigInt(supply),
      ol_delivery_d: nullValue,
      ol_quantity: ordered.int('quantity'),
      ol_amount: amount,
      ol_dist_info: stock.text(place),
    });
    const isBrand = [wanted.text('i_data'), stock.text('s_data')].every((one) => one.includes('ORIGINAL'));
    return {
      i_name: wanted.text('i_name'),
      i_price: wanted.int('i_price'),
      s_quantity: after.s_quantity,
      is_brand: isBrand,
      ol_amount: amount,
      s_order_cnt: stock.int('s_order_cnt'),
    };
  });
  const sum = takenLines.reduce((total, { ol_amount: amount }) => total + amount, 0n);
  const whole = 10_000n;
  const taxed = whole + warehouse.int('w_tax') + district.int('d_tax');
  const header = {
    o_id: order,
    c_last: customer.text('c_last'),
    c_credit: customer.text('c_credit'),
    c_discount: customer.int('c_discount'),
    w_tax: warehouse.int('w_tax'),
    d_tax: district.int('d_tax'),
    total: sum * (whole - customer.int('c_discount')) * taxed,
  };
  return takenLines.map((each) => ({ ...header, ...each }));
}

function found(chains: Touches, given: Arguments, reply: readonly Named[]): void {
  const [w, d, c] = [given.key('w_id'), given.key('d_id'), given.key('c_id')];
  const [first] = reply;
  if (first === undefined) throw new Error('it returns no line of its order');
  const order = first.key('o_id');
  chains.wrote('district', [w, d], order);
  chains.left('last order', [w, d, c], order);
  for (const [at, ordered] of given.list('lines').entries()) {
    const stock = [ordered.key('supply_w_id'), ordered.key('i_id')];
    chains.wrote('stock', stock, Number(reply[at]?.int('s_order_cnt')));
  }
}

/** Clause 2.4. */
export const newOrder = {
  weight: 45,
  reported: { as: 'New-Orders per minute; derived from TPC-C, no TPC result', p90MsMax: 5000 },
  arguments: {
    ...atTerminal,
    c_id: key('customer.c_id', nurand(1023, constants.customer)),
    is_wrong: bool(chance(1)),
    lines: list(uniform(5, 15), line),
  },
  returns: records(returned),
  code: {
    reasons: ['unknown-item'],
    writes: { district: 1, orders: 1, new_order: 1, stock: 15, order_line: 15 },
    does,
    found,
  },
};
