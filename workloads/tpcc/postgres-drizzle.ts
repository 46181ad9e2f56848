import { bindPostgres } from '@fair-bench/connector-postgres/binding';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase as Database } from 'drizzle-orm/node-postgres';
import { type Queries, Transactions } from './over-queries.ts';
import {
  customer,
  district,
  history,
  item,
  line,
  newOrder,
  orders,
  stock,
  warehouse,
} from './postgres-tables.ts';
import { places, placeOf, required } from './transactions.ts';
import workload from './workload.ts';

const at = sql.placeholder;
const isWarehouse = eq(warehouse.id, at('w'));
const isDistrict = and(eq(district.w, at('w')), eq(district.id, at('d')));
const isCustomer = and(eq(customer.w, at('w')), eq(customer.d, at('d')), eq(customer.id, at('c')));
const isStock = and(eq(stock.w, at('supply')), eq(stock.i, at('i')));
const isOrder = and(eq(orders.w, at('w')), eq(orders.d, at('d')), eq(orders.id, at('o')));
const isOfOrder = and(eq(line.w, at('w')), eq(line.d, at('d')), eq(line.o, at('o')));
const inDistrict = and(eq(newOrder.w, at('w')), eq(newOrder.d, at('d')));
const amount = sql`${at('amount')}::numeric`;

function orderQueries(
  db: Database,
): Pick<
  Queries,
  'takeNext' | 'lockStock' | 'takeStock' | 'items' | 'tax' | 'customer' | 'insertOrder' | 'insertLines'
> {
  const takeNext = db
    .update(district)
    .set({ next: sql`${district.next} + 1` })
    .where(isDistrict)
    .returning({ next: district.next, tax: district.tax })
    .prepare('take_next_order');
  // The column of each district is another one.
  const lockStock = places.map((place) =>
    db
      .select({
        quantity: stock.quantity,
        orders: stock.orders,
        data: stock.data,
        place: sql<string>`${sql.identifier(place)}`,
      })
      .from(stock)
      .where(isStock)
      .for('update')
      .prepare(`lock_stock_of_${place}`),
  );
  const takeStock = db
    .update(stock)
    .set({
      quantity: sql`${at('left')}::bigint`,
      ytd: sql`${stock.ytd} + ${at('quantity')}::bigint`,
      orders: sql`${stock.orders} + 1`,
      remote: sql`${stock.remote} + ${at('remote')}::bigint`,
    })
    .where(isStock)
    .prepare('take_stock');
  const warehouseOf = db.select().from(warehouse).where(isWarehouse).prepare('warehouse');
  const customerOf = db.select().from(customer).where(isCustomer).prepare('customer');
  return {
    async takeNext(of) {
      const { next, tax } = required((await takeNext.execute({ ...of }))[0]);
      return { o: next - 1, tax };
    },
    lockStock: async ({ d, ...of }) =>
      required((await lockStock[places.indexOf(placeOf(d))]?.execute({ ...of }))?.[0]),
    takeStock: (of) => takeStock.execute({ ...of }),
    items: (all) =>
      db
        .select()
        .from(item)
        .where(inArray(item.id, [...all])),
    tax: async (w) => required((await warehouseOf.execute({ w }))[0]).tax,
    customer: async (of) => required((await customerOf.execute({ ...of }))[0]),
    async insertOrder({ o, ...of }) {
      await db.insert(orders).values({ ...of, id: o, carrier: null });
      await db.insert(newOrder).values({ w: of.w, d: of.d, o });
    },
    insertLines: (lines) => db.insert(line).values(lines.map((each) => ({ ...each, delivered: null }))),
  };
}

function paymentQueries(
  db: Database,
): Pick<
  Queries,
  'named' | 'payWarehouse' | 'payDistrict' | 'lockCustomer' | 'payCustomer' | 'insertHistory'
> {
  const lockCustomer = db.select().from(customer).where(isCustomer).for('update').prepare('lock_customer');
  const named = db
    .select({ c: customer.id })
    .from(customer)
    .where(and(eq(customer.w, at('w')), eq(customer.d, at('d')), eq(customer.last, at('last'))))
    .orderBy(sql`${customer.first} COLLATE "C"`, asc(customer.id))
    .prepare('customers_named');
  const payWarehouse = db
    .update(warehouse)
    .set({ ytd: sql`${warehouse.ytd} + ${amount}` })
    .where(isWarehouse)
    .returning({ name: warehouse.name })
    .prepare('pay_warehouse');
  const payDistrict = db
    .update(district)
    .set({ ytd: sql`${district.ytd} + ${amount}` })
    .where(isDistrict)
    .returning({ name: district.name })
    .prepare('pay_district');
  const payCustomer = db
    .update(customer)
    .set({
      balance: sql`${customer.balance} - ${amount}`,
      paid: sql`${customer.paid} + ${amount}`,
      payments: sql`${customer.payments} + 1`,
      data: sql`${at('data')}::text`,
    })
    .where(isCustomer)
    .prepare('pay_customer');
  return {
    named: (of) => named.execute({ ...of }),
    payWarehouse: async (of) => required((await payWarehouse.execute({ ...of }))[0]).name,
    payDistrict: async (of) => required((await payDistrict.execute({ ...of }))[0]).name,
    lockCustomer: async (of) => required((await lockCustomer.execute({ ...of }))[0]),
    payCustomer: (of) => payCustomer.execute({ ...of }),
    insertHistory: (of) => db.insert(history).values(of),
  };
}

function deliveryQueries(
  db: Database,
): Pick<Queries, 'districts' | 'oldest' | 'carry' | 'deliver' | 'credit'> {
  const districts = db
    .select({ d: district.id })
    .from(district)
    .where(eq(district.w, at('w')))
    .orderBy(asc(district.id))
    .prepare('districts');
  const lockOldest = db
    .select({ o: newOrder.o })
    .from(newOrder)
    .where(inDistrict)
    .orderBy(asc(newOrder.o))
    .limit(1)
    .for('update')
    .prepare('lock_oldest_order');
  const waits = db.select({ o: newOrder.o }).from(newOrder).where(inDistrict).limit(1).prepare('waits');
  const remove = db
    .delete(newOrder)
    .where(and(inDistrict, eq(newOrder.o, at('o'))))
    .prepare('remove_new_order');
  const carry = db
    .update(orders)
    .set({ carrier: sql`${at('carrier')}::bigint` })
    .where(isOrder)
    .returning({ c: orders.c })
    .prepare('carry');
  const deliver = db
    .update(line)
    .set({ delivered: sql`${at('delivered')}::timestamp` })
    .where(isOfOrder)
    .returning({ amount: line.amount })
    .prepare('deliver');
  const credit = db
    .update(customer)
    .set({ balance: sql`${customer.balance} + ${amount}`, deliveries: sql`${customer.deliveries} + 1` })
    .where(isCustomer)
    .returning({ payments: customer.payments, deliveries: customer.deliveries })
    .prepare('credit');
  return {
    districts: async (w) => (await districts.execute({ w })).map(({ d }) => d),
    // A row that another delivery has deleted meanwhile ends the query without one: there may be a next.
    async oldest(of) {
      for (;;) {
        const [oldest] = await lockOldest.execute({ ...of });
        if (oldest !== undefined) return oldest.o;
        if ((await waits.execute({ ...of })).length === 0) return null;
      }
    },
    async carry(of) {
      await remove.execute({ ...of });
      return required((await carry.execute({ ...of }))[0]).c;
    },
    deliver: async (of) => (await deliver.execute({ ...of })).map(({ amount: each }) => each),
    async credit(of) {
      const after = required((await credit.execute({ ...of }))[0]);
      return { ...after, deliveries: after.deliveries - 1n };
    },
  };
}

function readQueries(db: Database): Pick<Queries, 'status' | 'low'> {
  const status = db
    .select({
      payments: customer.payments,
      deliveries: customer.deliveries,
      balance: customer.balance,
      o: orders.id,
      entered: orders.entered,
      carrier: orders.carrier,
      item: line.item,
      supply: line.supply,
      quantity: line.quantity,
      amount: line.amount,
      delivered: line.delivered,
    })
    .from(customer)
    .innerJoin(
      orders,
      sql`${orders.w} = ${customer.w} AND ${orders.d} = ${customer.d} AND ${orders.id} = (SELECT max(o.o_id)
        FROM ${orders} AS o WHERE o.o_w_id = ${at('w')} AND o.o_d_id = ${at('d')} AND o.o_c_id = ${at('c')})`,
    )
    .innerJoin(line, and(eq(line.w, orders.w), eq(line.d, orders.d), eq(line.o, orders.id)))
    .where(isCustomer)
    .orderBy(asc(line.number))
    .prepare('order_status');
  const low = db
    .select({
      next: district.next,
      low: sql<string>`(SELECT count(DISTINCT ${line.item}) FROM ${line} JOIN ${stock} ON ${stock.w} = ${line.w} AND ${stock.i} = ${line.item}
        WHERE ${line.w} = ${at('w')} AND ${line.d} = ${at('d')} AND ${line.o} >= ${district.next} - 20 AND ${line.o} < ${district.next}
          AND ${stock.quantity} < ${at('threshold')})`,
    })
    .from(district)
    .where(isDistrict)
    .prepare('low_stock');
  return {
    status: (of) => status.execute({ ...of }),
    async low(of) {
      const found = required((await low.execute({ ...of }))[0]);
      return { next: found.next, low: Number(found.low) };
    },
  };
}

/** Queries are built and prepared once for each connection. */
export default bindPostgres(workload, (client) => {
  const db: Database = drizzle({ client });
  const queries: Queries = {
    transaction: (body) => db.transaction(body),
    ...orderQueries(db),
    ...paymentQueries(db),
    ...deliveryQueries(db),
    ...readQueries(db),
  };
  return new Transactions(queries).operations();
});
