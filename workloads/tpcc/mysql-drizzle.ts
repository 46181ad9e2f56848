import { bindMysql } from '@fair-bench/mysql/binding';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { drizzle, type MySql2Database as Database } from 'drizzle-orm/mysql2';
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
} from './mysql-tables.ts';
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
const amount = sql`${at('amount')}`;

function orderQueries(
  db: Database,
): Pick<
  Queries,
  'takeNext' | 'lockStock' | 'takeStock' | 'items' | 'tax' | 'customer' | 'insertOrder' | 'insertLines'
> {
  const lockDistrict = db.select().from(district).where(isDistrict).for('update').prepare();
  const takeNext = db
    .update(district)
    .set({ next: sql`${district.next} + 1` })
    .where(isDistrict)
    .prepare();
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
      .prepare(),
  );
  const takeStock = db
    .update(stock)
    .set({
      quantity: sql`${at('left')}`,
      ytd: sql`${stock.ytd} + ${at('quantity')}`,
      orders: sql`${stock.orders} + 1`,
      remote: sql`${stock.remote} + ${at('remote')}`,
    })
    .where(isStock)
    .prepare();
  const warehouseOf = db.select().from(warehouse).where(isWarehouse).prepare();
  const customerOf = db.select().from(customer).where(isCustomer).prepare();
  return {
    async takeNext(of) {
      const { next, tax } = required((await lockDistrict.execute({ ...of }))[0]);
      await takeNext.execute({ ...of });
      return { o: next, tax };
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
  const lockDistrict = db.select().from(district).where(isDistrict).for('update').prepare();
  const lockWarehouse = db.select().from(warehouse).where(isWarehouse).for('update').prepare();
  const lockCustomer = db.select().from(customer).where(isCustomer).for('update').prepare();
  const named = db
    .select({ c: customer.id })
    .from(customer)
    .where(and(eq(customer.w, at('w')), eq(customer.d, at('d')), eq(customer.last, at('last'))))
    .orderBy(asc(customer.first), asc(customer.id))
    .prepare();
  const payWarehouse = db
    .update(warehouse)
    .set({ ytd: sql`${warehouse.ytd} + ${amount}` })
    .where(isWarehouse)
    .prepare();
  const payDistrict = db
    .update(district)
    .set({ ytd: sql`${district.ytd} + ${amount}` })
    .where(isDistrict)
    .prepare();
  const payCustomer = db
    .update(customer)
    .set({
      balance: sql`${customer.balance} - ${amount}`,
      paid: sql`${customer.paid} + ${amount}`,
      payments: sql`${customer.payments} + 1`,
      data: sql`${at('data')}`,
    })
    .where(isCustomer)
    .prepare();
  return {
    named: (of) => named.execute({ ...of }),
    async payWarehouse(of) {
      await payWarehouse.execute({ ...of });
      return required((await lockWarehouse.execute({ ...of }))[0]).name;
    },
    async payDistrict(of) {
      await payDistrict.execute({ ...of });
      return required((await lockDistrict.execute({ ...of }))[0]).name;
    },
    lockCustomer: async (of) => required((await lockCustomer.execute({ ...of }))[0]),
    payCustomer: (of) => payCustomer.execute({ ...of }),
    insertHistory: (of) => db.insert(history).values(of),
  };
}

function deliveryQueries(
  db: Database,
): Pick<Queries, 'districts' | 'oldest' | 'carry' | 'deliver' | 'credit'> {
  const lockOrder = db.select().from(orders).where(isOrder).for('update').prepare();
  const lockLines = db.select({ amount: line.amount }).from(line).where(isOfOrder).for('update').prepare();
  const lockCustomer = db.select().from(customer).where(isCustomer).for('update').prepare();
  const districts = db
    .select({ d: district.id })
    .from(district)
    .where(eq(district.w, at('w')))
    .orderBy(asc(district.id))
    .prepare();
  const lockOldest = db
    .select({ o: newOrder.o })
    .from(newOrder)
    .where(inDistrict)
    .orderBy(asc(newOrder.o))
    .limit(1)
    .for('update')
    .prepare();
  const remove = db
    .delete(newOrder)
    .where(and(inDistrict, eq(newOrder.o, at('o'))))
    .prepare();
  const carry = db
    .update(orders)
    .set({ carrier: sql`${at('carrier')}` })
    .where(isOrder)
    .prepare();
  const deliver = db
    .update(line)
    .set({ delivered: sql`${at('delivered')}` })
    .where(isOfOrder)
    .prepare();
  const credit = db
    .update(customer)
    .set({ balance: sql`${customer.balance} + ${amount}`, deliveries: sql`${customer.deliveries} + 1` })
    .where(isCustomer)
    .prepare();
  return {
    districts: async (w) => (await districts.execute({ w })).map(({ d }) => d),
    oldest: async (of) => (await lockOldest.execute({ ...of }))[0]?.o ?? null,
    async carry(of) {
      await remove.execute({ ...of });
      await carry.execute({ ...of });
      return required((await lockOrder.execute({ ...of }))[0]).c;
    },
    async deliver(of) {
      await deliver.execute({ ...of });
      return (await lockLines.execute({ ...of })).map(({ amount: each }) => each);
    },
    async credit(of) {
      const before = required((await lockCustomer.execute({ ...of }))[0]);
      await credit.execute({ ...of });
      return before;
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
    .prepare();
  const low = db
    .select({
      next: district.next,
      low: sql<string>`(SELECT count(DISTINCT ${line.item}) FROM ${line} JOIN ${stock} ON ${stock.w} = ${line.w} AND ${stock.i} = ${line.item}
        WHERE ${line.w} = ${at('w')} AND ${line.d} = ${at('d')} AND ${line.o} >= ${district.next} - 20 AND ${line.o} < ${district.next}
          AND ${stock.quantity} < ${at('threshold')})`,
    })
    .from(district)
    .where(isDistrict)
    .prepare();
  return {
    status: (of) => status.execute({ ...of }),
    async low(of) {
      const found = required((await low.execute({ ...of }))[0]);
      return { next: found.next, low: Number(found.low) };
    },
  };
}

/** Queries are built and prepared once for each connection. */
export default bindMysql(workload, (client) => {
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
