import { atomic, bindSqlite, drizzleNodeSqlite } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { queriesOf } from './sqlite-queries.ts';
import {
  type CustomerWanted,
  dataAfter,
  type Delivery,
  inOrderOfStock,
  isOriginal,
  leftAfter,
  middleOf,
  type NewOrder,
  nothingToDeliver,
  type OrderStatus,
  type Payment,
  placeOf,
  required,
  type StockLevel,
  totalOf,
  UnknownItem,
  unknownItem,
} from './transactions.ts';
import workload from './workload.ts';

const nowMicros = (): bigint => BigInt(Date.now()) * 1000n;

/** The five transactions of prepared queries. SQLite has one writer at a time, so that none of them can deadlock. */
class Transactions {
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(queries: ReturnType<typeof queriesOf>) {
    this.#queries = queries;
  }

  order({ w_id: w, d_id: d, c_id: c, is_wrong: isWrong, lines }: NewOrder) {
    const entered = nowMicros();
    const warehouse = required(this.#queries.warehouse.get({ w }));
    const district = required(this.#queries.nextOrder.get({ w, d }));
    const customer = required(this.#queries.customer.get({ w, d, c }));
    const o_id = Number(district.next) - 1;
    const isLocal = lines.every(({ supply_w_id: supply }) => supply === w);
    this.#queries.insertOrder.run({
      w,
      d,
      o: o_id,
      c,
      entered,
      lines: lines.length,
      local: isLocal ? 1n : 0n,
    });
    this.#queries.insertNewOrder.run({ w, d, o: o_id });
    const rows = inOrderOfStock(lines).map(({ supply_w_id: supply, i_id: i, quantity, number }) => {
      const item = required(this.#queries.item.get({ i: isWrong && number === lines.length ? 0 : i }));
      const stock = required(this.#queries.stock.get({ supply, i }));
      const left = leftAfter(stock.quantity, quantity);
      this.#queries.takeStock.run({ supply, i, left, quantity, remote: supply === w ? 0n : 1n });
      const amount = quantity * item.price;
      const place = stock[placeOf(d)];
      this.#queries.insertLine.run({ w, d, o: o_id, number, i, supply, quantity, amount, place });
      return { number, item, stock, left, amount };
    });
    rows.sort((a, b) => a.number - b.number);
    const sum = rows.reduce((total, { amount }) => total + amount, 0n);
    const header = {
      o_id,
      o_entry_d: entered,
      c_last: customer.last,
      c_credit: customer.credit,
      c_discount: customer.discount,
      w_tax: warehouse.tax,
      d_tax: district.tax,
      total: totalOf(sum, customer.discount, warehouse.tax + district.tax),
    };
    return {
      rows: rows.map(({ item, stock, left, amount }) => ({
        ...header,
        i_name: item.name,
        i_price: item.price,
        s_quantity: left,
        is_brand: isOriginal(item.data, stock.data),
        ol_amount: amount,
        s_order_cnt: stock.orders,
      })),
    };
  }

  pay(payment: Payment) {
    const { w_id: w, d_id: d, c_w_id: cw, c_d_id: cd, amount } = payment;
    const paid = nowMicros();
    const c = this.#customerOf(payment, [cw, cd]);
    const warehouse = required(this.#queries.payWarehouse.get({ w, amount }));
    const district = required(this.#queries.payDistrict.get({ w, d, amount }));
    const customer = required(this.#queries.customer.get({ w: cw, d: cd, c }));
    const isBad = customer.credit === 'BC';
    const data = isBad ? dataAfter(customer.data, c, payment) : customer.data;
    this.#queries.payCustomer.run({ w: cw, d: cd, c, amount, data });
    const note = `${warehouse.name}    ${district.name}`;
    this.#queries.insertHistory.run({ cw, cd, h: -1n - payment.h_id, c, d, w, paid, amount, note });
    return {
      fields: {
        c_id: c,
        c_payment_cnt: customer.payments,
        c_delivery_cnt: customer.deliveries,
        c_balance: customer.balance - amount,
        c_credit: customer.credit,
        c_data: isBad ? data.slice(0, 200) : '',
        h_date: paid,
      },
    };
  }

  show(wanted: OrderStatus) {
    const { w_id: w, d_id: d } = wanted;
    const c = this.#customerOf(wanted, [w, d]);
    const customer = required(this.#queries.customer.get({ w, d, c }));
    const last = required(this.#queries.lastOrder.get({ w, d, c }));
    return {
      rows: this.#queries.lines.all({ w, d, o: last.o }).map((line) => ({
        c_id: c,
        c_payment_cnt: customer.payments,
        c_delivery_cnt: customer.deliveries,
        c_balance: customer.balance,
        o_id: last.o,
        o_entry_d: last.entered,
        o_carrier_id: last.carrier ?? -1n,
        ol_i_id: line.item,
        ol_supply_w_id: line.supply,
        ol_quantity: line.quantity,
        ol_amount: line.amount,
        ol_delivery_d: line.delivered ?? -1n,
      })),
    };
  }

  deliver({ w_id: w, carrier }: Delivery) {
    const delivered = nowMicros();
    const rows = this.#queries.districts.all({ w }).map(({ d }) => {
      const oldest = this.#queries.oldest.get({ w, d });
      if (oldest === undefined) return { d_id: d, ...nothingToDeliver, ol_delivery_d: delivered };
      const { o } = oldest;
      this.#queries.removeNewOrder.run({ w, d, o });
      const { c } = required(this.#queries.carry.get({ w, d, o, carrier }));
      const lines = this.#queries.deliverLines.all({ w, d, o, delivered });
      const amount = lines.reduce((sum, line) => sum + line.amount, 0n);
      const customer = required(this.#queries.deliverCustomer.get({ w, d, c, amount }));
      return {
        d_id: d,
        o_id: o,
        c_id: c,
        amount,
        c_payment_cnt: customer.payments,
        c_delivery_cnt: customer.deliveries - 1n,
        ol_delivery_d: delivered,
      };
    });
    return { rows };
  }

  level({ w_id: w, d_id: d, threshold }: StockLevel) {
    const { next } = required(this.#queries.next.get({ w, d }));
    const found = required(this.#queries.low.get({ w, d, from: next - 20n, next, threshold }));
    return { fields: { next, low: found.low } };
  }

  #customerOf({ by_name, c_id, c_last }: CustomerWanted, [w, d]: readonly [number, number]): number {
    return by_name ? middleOf(this.#queries.customersNamed.all({ w, d, last: c_last })).c_id : c_id;
  }
}

export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const transactions = new Transactions(queriesOf(db));
  const place = atomic(db, (given: NewOrder) => transactions.order(given));
  return {
    new_order(given: NewOrder) {
      try {
        return place(given);
      } catch (error) {
        if (error instanceof UnknownItem && given.is_wrong) return unknownItem;
        throw error;
      }
    },
    payment: atomic(db, (given: Payment) => transactions.pay(given)),
    order_status: (wanted: OrderStatus) => db.transaction(() => transactions.show(wanted)),
    delivery: atomic(db, (given: Delivery) => transactions.deliver(given)),
    stock_level: (given: StockLevel) => db.transaction(() => transactions.level(given)),
  };
});
