import { int64, type NodeSqliteDatabase } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { and, asc, desc, eq, sql } from 'drizzle-orm';
import { customType, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** A 64-bit integer that may be null. */
const nullableInt64 = customType<{ data: bigint; driverData: bigint }>({ dataType: () => 'integer' });

const warehouse = sqliteTable('warehouse', {
  id: integer('w_id').notNull(),
  name: text('w_name').notNull(),
  tax: int64('w_tax'),
  ytd: int64('w_ytd'),
});
const district = sqliteTable('district', {
  w: integer('d_w_id').notNull(),
  id: integer('d_id').notNull(),
  name: text('d_name').notNull(),
  tax: int64('d_tax'),
  ytd: int64('d_ytd'),
  next: int64('d_next_o_id'),
});
const customer = sqliteTable('customer', {
  w: integer('c_w_id').notNull(),
  d: integer('c_d_id').notNull(),
  id: integer('c_id').notNull(),
  first: text('c_first').notNull(),
  last: text('c_last').notNull(),
  credit: text('c_credit').notNull(),
  discount: int64('c_discount'),
  balance: int64('c_balance'),
  paid: int64('c_ytd_payment'),
  payments: int64('c_payment_cnt'),
  deliveries: int64('c_delivery_cnt'),
  data: text('c_data').notNull(),
});
const history = sqliteTable('history', {
  cw: integer('h_c_w_id').notNull(),
  cd: integer('h_c_d_id').notNull(),
  id: int64('h_id'),
  c: integer('h_c_id').notNull(),
  d: integer('h_d_id').notNull(),
  w: integer('h_w_id').notNull(),
  date: int64('h_date'),
  amount: int64('h_amount'),
  data: text('h_data').notNull(),
});
const item = sqliteTable('item', {
  id: integer('i_id').notNull(),
  name: text('i_name').notNull(),
  price: int64('i_price'),
  data: text('i_data').notNull(),
});
const stock = sqliteTable('stock', {
  w: integer('s_w_id').notNull(),
  i: integer('s_i_id').notNull(),
  quantity: int64('s_quantity'),
  s_dist_01: text('s_dist_01').notNull(),
  s_dist_02: text('s_dist_02').notNull(),
  s_dist_03: text('s_dist_03').notNull(),
  s_dist_04: text('s_dist_04').notNull(),
  s_dist_05: text('s_dist_05').notNull(),
  s_dist_06: text('s_dist_06').notNull(),
  s_dist_07: text('s_dist_07').notNull(),
  s_dist_08: text('s_dist_08').notNull(),
  s_dist_09: text('s_dist_09').notNull(),
  s_dist_10: text('s_dist_10').notNull(),
  ytd: int64('s_ytd'),
  orders: int64('s_order_cnt'),
  remote: int64('s_remote_cnt'),
  data: text('s_data').notNull(),
});
const orders = sqliteTable('orders', {
  w: integer('o_w_id').notNull(),
  d: integer('o_d_id').notNull(),
  id: integer('o_id').notNull(),
  c: integer('o_c_id').notNull(),
  entered: int64('o_entry_d'),
  carrier: nullableInt64('o_carrier_id'),
  lines: integer('o_ol_cnt').notNull(),
  local: int64('o_all_local'),
});
const newOrder = sqliteTable('new_order', {
  w: integer('no_w_id').notNull(),
  d: integer('no_d_id').notNull(),
  o: integer('no_o_id').notNull(),
});
const line = sqliteTable('order_line', {
  w: integer('ol_w_id').notNull(),
  d: integer('ol_d_id').notNull(),
  o: integer('ol_o_id').notNull(),
  number: integer('ol_number').notNull(),
  item: int64('ol_i_id'),
  supply: int64('ol_supply_w_id'),
  delivered: nullableInt64('ol_delivery_d'),
  quantity: int64('ol_quantity'),
  amount: int64('ol_amount'),
  place: text('ol_dist_info').notNull(),
});

const at = sql.placeholder;
const isWarehouse = eq(warehouse.id, at('w'));
const isDistrict = and(eq(district.w, at('w')), eq(district.id, at('d')));
const isCustomer = and(eq(customer.w, at('w')), eq(customer.d, at('d')), eq(customer.id, at('c')));
const isStock = and(eq(stock.w, at('supply')), eq(stock.i, at('i')));
const isOrder = and(eq(orders.w, at('w')), eq(orders.d, at('d')), eq(orders.id, at('o')));
const isOfOrder = and(eq(line.w, at('w')), eq(line.d, at('d')), eq(line.o, at('o')));
const inDistrict = and(eq(newOrder.w, at('w')), eq(newOrder.d, at('d')));
const plus = (column: unknown, name: string) => sql`${column} + ${at(name)}`;

function orderQueries(db: NodeSqliteDatabase) {
  return {
    warehouse: db.select().from(warehouse).where(isWarehouse).prepare(),
    nextOrder: db
      .update(district)
      .set({ next: sql`${district.next} + 1` })
      .where(isDistrict)
      .returning({ next: district.next, tax: district.tax })
      .prepare(),
    customer: db.select().from(customer).where(isCustomer).prepare(),
    insertOrder: db
      .insert(orders)
      .values({
        w: at('w'),
        d: at('d'),
        id: at('o'),
        c: at('c'),
        entered: at('entered'),
        carrier: null,
        lines: at('lines'),
        local: at('local'),
      })
      .prepare(),
    insertNewOrder: db
      .insert(newOrder)
      .values({ w: at('w'), d: at('d'), o: at('o') })
      .prepare(),
    item: db
      .select()
      .from(item)
      .where(eq(item.id, at('i')))
      .prepare(),
    stock: db.select().from(stock).where(isStock).prepare(),
    takeStock: db
      .update(stock)
      .set({
        quantity: sql`${at('left')}`,
        ytd: plus(stock.ytd, 'quantity'),
        orders: sql`${stock.orders} + 1`,
        remote: plus(stock.remote, 'remote'),
      })
      .where(isStock)
      .prepare(),
    insertLine: db
      .insert(line)
      .values({
        w: at('w'),
        d: at('d'),
        o: at('o'),
        number: at('number'),
        item: at('i'),
        supply: at('supply'),
        delivered: null,
        quantity: at('quantity'),
        amount: at('amount'),
        place: at('place'),
      })
      .prepare(),
  };
}

function paymentQueries(db: NodeSqliteDatabase) {
  return {
    customersNamed: db
      .select({ c_id: customer.id })
      .from(customer)
      .where(and(eq(customer.w, at('w')), eq(customer.d, at('d')), eq(customer.last, at('last'))))
      .orderBy(asc(customer.first), asc(customer.id))
      .prepare(),
    payWarehouse: db
      .update(warehouse)
      .set({ ytd: plus(warehouse.ytd, 'amount') })
      .where(isWarehouse)
      .returning({ name: warehouse.name })
      .prepare(),
    payDistrict: db
      .update(district)
      .set({ ytd: plus(district.ytd, 'amount') })
      .where(isDistrict)
      .returning({ name: district.name })
      .prepare(),
    payCustomer: db
      .update(customer)
      .set({
        balance: sql`${customer.balance} - ${at('amount')}`,
        paid: plus(customer.paid, 'amount'),
        payments: sql`${customer.payments} + 1`,
        data: sql`${at('data')}`,
      })
      .where(isCustomer)
      .prepare(),
    insertHistory: db
      .insert(history)
      .values({
        cw: at('cw'),
        cd: at('cd'),
        id: at('h'),
        c: at('c'),
        d: at('d'),
        w: at('w'),
        date: at('paid'),
        amount: at('amount'),
        data: at('note'),
      })
      .prepare(),
  };
}

function deliveryQueries(db: NodeSqliteDatabase) {
  return {
    districts: db
      .select({ d: district.id })
      .from(district)
      .where(eq(district.w, at('w')))
      .orderBy(asc(district.id))
      .prepare(),
    oldest: db
      .select({ o: newOrder.o })
      .from(newOrder)
      .where(inDistrict)
      .orderBy(asc(newOrder.o))
      .limit(1)
      .prepare(),
    removeNewOrder: db
      .delete(newOrder)
      .where(and(inDistrict, eq(newOrder.o, at('o'))))
      .prepare(),
    carry: db
      .update(orders)
      .set({ carrier: sql`${at('carrier')}` })
      .where(isOrder)
      .returning({ c: orders.c })
      .prepare(),
    deliverLines: db
      .update(line)
      .set({ delivered: sql`${at('delivered')}` })
      .where(isOfOrder)
      .returning({ amount: line.amount })
      .prepare(),
    deliverCustomer: db
      .update(customer)
      .set({
        balance: plus(customer.balance, 'amount'),
        deliveries: sql`${customer.deliveries} + 1`,
      })
      .where(isCustomer)
      .returning({ payments: customer.payments, deliveries: customer.deliveries })
      .prepare(),
  };
}

function readQueries(db: NodeSqliteDatabase) {
  return {
    lastOrder: db
      .select({ o: orders.id, entered: orders.entered, carrier: orders.carrier })
      .from(orders)
      .where(and(eq(orders.w, at('w')), eq(orders.d, at('d')), eq(orders.c, at('c'))))
      .orderBy(desc(orders.id))
      .limit(1)
      .prepare(),
    lines: db.select().from(line).where(isOfOrder).orderBy(asc(line.number)).prepare(),
    next: db.select({ next: district.next }).from(district).where(isDistrict).prepare(),
    low: db
      .select({ low: sql<bigint>`count(DISTINCT ${line.item})` })
      .from(line)
      .innerJoin(stock, and(eq(stock.w, line.w), eq(stock.i, line.item)))
      .where(
        sql`${line.w} = ${at('w')} AND ${line.d} = ${at('d')} AND ${line.o} >= ${at('from')} AND ${line.o} < ${at('next')} AND ${stock.quantity} < ${at('threshold')}`,
      )
      .prepare(),
  };
}

/** Prepared once for each connection. */
export const queriesOf = (db: NodeSqliteDatabase) => ({
  ...orderQueries(db),
  ...paymentQueries(db),
  ...deliveryQueries(db),
  ...readQueries(db),
});
