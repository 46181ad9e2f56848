import { ourSchema } from '@fair-bench/connector-postgres/binding';
import { bigint, numeric, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';

const schema = pgSchema(ourSchema());
const id = (name: string) => bigint(name, { mode: 'number' }).notNull();
const int64 = (name: string) => bigint(name, { mode: 'bigint' }).notNull();
const money = (name: string) => numeric(name).notNull();
const moment = (name: string) => timestamp(name, { mode: 'string' });

export const warehouse = schema.table('warehouse', {
  id: id('w_id'),
  name: text('w_name').notNull(),
  tax: money('w_tax'),
  ytd: money('w_ytd'),
});
export const district = schema.table('district', {
  w: id('d_w_id'),
  id: id('d_id'),
  name: text('d_name').notNull(),
  tax: money('d_tax'),
  ytd: money('d_ytd'),
  next: id('d_next_o_id'),
});
export const customer = schema.table('customer', {
  w: id('c_w_id'),
  d: id('c_d_id'),
  id: id('c_id'),
  first: text('c_first').notNull(),
  last: text('c_last').notNull(),
  credit: text('c_credit').notNull(),
  discount: money('c_discount'),
  balance: money('c_balance'),
  paid: money('c_ytd_payment'),
  payments: int64('c_payment_cnt'),
  deliveries: int64('c_delivery_cnt'),
  data: text('c_data').notNull(),
});
export const history = schema.table('history', {
  cw: id('h_c_w_id'),
  cd: id('h_c_d_id'),
  id: int64('h_id'),
  c: id('h_c_id'),
  d: id('h_d_id'),
  w: id('h_w_id'),
  date: moment('h_date').notNull(),
  amount: money('h_amount'),
  data: text('h_data').notNull(),
});
export const item = schema.table('item', {
  id: id('i_id'),
  name: text('i_name').notNull(),
  price: money('i_price'),
  data: text('i_data').notNull(),
});
export const stock = schema.table('stock', {
  w: id('s_w_id'),
  i: id('s_i_id'),
  quantity: int64('s_quantity'),
  ytd: int64('s_ytd'),
  orders: int64('s_order_cnt'),
  remote: int64('s_remote_cnt'),
  data: text('s_data').notNull(),
});
export const orders = schema.table('orders', {
  w: id('o_w_id'),
  d: id('o_d_id'),
  id: id('o_id'),
  c: id('o_c_id'),
  entered: moment('o_entry_d').notNull(),
  carrier: bigint('o_carrier_id', { mode: 'bigint' }),
  lines: id('o_ol_cnt'),
  local: int64('o_all_local'),
});
export const newOrder = schema.table('new_order', { w: id('no_w_id'), d: id('no_d_id'), o: id('no_o_id') });
export const line = schema.table('order_line', {
  w: id('ol_w_id'),
  d: id('ol_d_id'),
  o: id('ol_o_id'),
  number: id('ol_number'),
  item: id('ol_i_id'),
  supply: id('ol_supply_w_id'),
  delivered: moment('ol_delivery_d'),
  quantity: int64('ol_quantity'),
  amount: money('ol_amount'),
  place: text('ol_dist_info').notNull(),
});
