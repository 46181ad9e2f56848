import { decimal, int64, nullable, nullValue, seededBy, table, text, timestamp } from '@fair-bench/workload';
import { type SeededAt } from '@fair-bench/workload';
import { constants, firstCustomerOf, firstLinesOf, firstUndelivered, lastName, loadedAt } from './names.ts';

/** So many random letters and digits as a number from `least` to `most` says. */
const letters = (least: number, most: number) =>
  seededBy(text(most), (at) => at.letters(at.between(least, most, 1), 2));

/** With ORIGINAL in every tenth (clause 4.3.3.1). */
const data = seededBy(text(50), (at) => {
  const content = at.letters(at.between(26, 50, 1), 2);
  if (at.between(1, 100, 3) > 10) return content;
  const place = at.between(0, content.length - 8, 4);
  return `${content.slice(0, place)}ORIGINAL${content.slice(place + 8)}`;
});

const zip = seededBy(text(9), (at) => `${String(at.between(0, 9999, 1)).padStart(4, '0')}11111`);
const rate = (most: number) => seededBy(decimal(4, 4), (at) => BigInt(at.between(0, most)));
const address = (prefix: string) => ({
  [`${prefix}_street_1`]: letters(10, 20),
  [`${prefix}_street_2`]: letters(10, 20),
  [`${prefix}_city`]: letters(10, 20),
  [`${prefix}_state`]: letters(2, 2),
  [`${prefix}_zip`]: zip,
});
/** Of each customer one payment of 10.00 is there. */
const paidIn = (at: SeededAt): bigint => 1000n * BigInt(at.parameter('customers'));

const warehouse = table({
  rows: 'warehouses',
  firsts: [1],
  key: 'w_id',
  columns: {
    w_name: letters(6, 10),
    ...address('w'),
    w_tax: rate(2000),
    w_ytd: seededBy(decimal(12, 2), (at) => paidIn(at) * BigInt(at.parameter('districts'))),
  },
});

const district = table({
  rows: ['warehouses', 'districts'],
  firsts: [1, 1],
  key: ['d_w_id', 'd_id'],
  columns: {
    d_name: letters(6, 10),
    ...address('d'),
    d_tax: rate(2000),
    d_ytd: seededBy(decimal(12, 2), paidIn),
    d_next_o_id: seededBy(int64(), (at) => BigInt(at.parameter('customers') + 1)),
  },
});

const customer = table({
  rows: ['warehouses', 'districts', 'customers'],
  firsts: [1, 1, 1],
  key: ['c_w_id', 'c_d_id', 'c_id'],
  columns: {
    c_first: letters(8, 16),
    c_middle: seededBy(text(2), () => 'OE'),
    c_last: seededBy(text(15), (at) => {
      const id = at.key('c_id');
      if (id <= 1000) return lastName(id - 1);
      const mixed = at.between(0, 255, 1) | at.between(0, 999, 2);
      return lastName((mixed + constants.nameLoad) % 1000);
    }),
    ...address('c'),
    c_phone: seededBy(text(16), (at) =>
      [1, 2].map((turn) => String(at.between(0, 99_999_999, turn)).padStart(8, '0')).join(''),
    ),
    c_since: timestamp(String(loadedAt)),
    c_credit: seededBy(text(2), (at) => (at.between(1, 100) > 10 ? 'GC' : 'BC')),
    c_credit_lim: decimal(12, 2, 5_000_000),
    c_discount: rate(5000),
    c_balance: decimal(12, 2, -1000),
    c_ytd_payment: decimal(12, 2, 1000),
    c_payment_cnt: int64(1),
    c_delivery_cnt: int64(0),
    c_data: letters(300, 500),
  },
  indexes: [['c_w_id', 'c_d_id', 'c_last', 'c_first']],
});

/** The specification gives it no key. Ours is the number of the operation, from −1 down, so that each row can be audited. */
const history = table({
  rows: ['warehouses', 'districts', 'customers'],
  firsts: [1, 1, 1],
  key: ['h_c_w_id', 'h_c_d_id', 'h_id'],
  columns: {
    h_id: int64,
    h_c_id: seededBy(int64(), (at) => BigInt(at.key('h_id'))),
    h_d_id: seededBy(int64(), (at) => BigInt(at.key('h_c_d_id'))),
    h_w_id: seededBy(int64(), (at) => BigInt(at.key('h_c_w_id'))),
    h_date: timestamp(String(loadedAt)),
    h_amount: decimal(6, 2, 1000),
    h_data: letters(12, 24),
  },
});

const item = table({
  rows: 'items',
  firsts: [1],
  key: 'i_id',
  columns: {
    i_im_id: seededBy(int64(), (at) => BigInt(at.between(1, 10_000))),
    i_name: letters(14, 24),
    i_price: seededBy(decimal(5, 2), (at) => BigInt(at.between(100, 10_000))),
    i_data: data,
  },
});

const places = Array.from({ length: 10 }, (_, place) => `s_dist_${String(place + 1).padStart(2, '0')}`);

const stock = table({
  rows: ['warehouses', 'items'],
  firsts: [1, 1],
  key: ['s_w_id', 's_i_id'],
  columns: {
    s_quantity: seededBy(int64(), (at) => BigInt(at.between(10, 100))),
    ...Object.fromEntries(places.map((name) => [name, letters(24, 24)])),
    s_ytd: int64(0),
    s_order_cnt: int64(0),
    s_remote_cnt: int64(0),
    s_data: data,
  },
});

const isDelivered = (at: SeededAt, order: string): boolean =>
  at.key(order) < firstUndelivered(at.parameter('customers'));
const linesAt = (at: SeededAt, prefix: string): number =>
  firstLinesOf(at.key(`${prefix}_w_id`), at.key(`${prefix}_d_id`), at.key(`${prefix}_o_id`));

const orders = table({
  rows: ['warehouses', 'districts', 'customers'],
  firsts: [1, 1, 1],
  key: ['o_w_id', 'o_d_id', 'o_id'],
  columns: {
    o_c_id: seededBy(int64(), (at) =>
      BigInt(firstCustomerOf(at.key('o_id'), at.key('o_d_id'), at.parameter('customers'))),
    ),
    o_entry_d: timestamp(String(loadedAt)),
    o_carrier_id: seededBy(nullable(int64()), (at) =>
      isDelivered(at, 'o_id') ? BigInt(at.between(1, 10)) : nullValue,
    ),
    o_ol_cnt: seededBy(int64(), (at) =>
      BigInt(firstLinesOf(at.key('o_w_id'), at.key('o_d_id'), at.key('o_id'))),
    ),
    o_all_local: int64(1),
  },
  indexes: [['o_w_id', 'o_d_id', 'o_c_id', 'o_id']],
});

const newOrder = table({
  rows: ['warehouses', 'districts', 'customers'],
  firsts: [1, 1, 1],
  key: ['no_w_id', 'no_d_id', 'no_o_id'],
  present: (at) => !isDelivered(at, 'no_o_id'),
});

const orderLine = table({
  rows: ['warehouses', 'districts', 'customers', 15],
  firsts: [1, 1, 1, 1],
  key: ['ol_w_id', 'ol_d_id', 'ol_o_id', 'ol_number'],
  present: (at) => at.key('ol_number') <= linesAt(at, 'ol'),
  columns: {
    ol_i_id: seededBy(int64(), (at) => BigInt(at.between(1, at.parameter('items')))),
    ol_supply_w_id: seededBy(int64(), (at) => BigInt(at.key('ol_w_id'))),
    ol_delivery_d: seededBy(nullable(timestamp()), (at) =>
      isDelivered(at, 'ol_o_id') ? loadedAt : nullValue,
    ),
    ol_quantity: int64(5),
    ol_amount: seededBy(decimal(6, 2), (at) =>
      isDelivered(at, 'ol_o_id') ? 0n : BigInt(at.between(1, 999_999)),
    ),
    ol_dist_info: letters(24, 24),
  },
});

/** The nine tables of clause 1.3. */
export const tables = {
  warehouse,
  district,
  customer,
  history,
  item,
  stock,
  orders,
  new_order: newOrder,
  order_line: orderLine,
};
