import {
  centsOf,
  type CustomerWanted,
  dataAfter,
  decimalOf,
  type Delivery,
  inOrderOfStock,
  isOriginal,
  leftAfter,
  microsOf,
  middleOf,
  type NewOrder,
  nothingToDeliver,
  now,
  type OrderStatus,
  type Payment,
  rateOf,
  required,
  type StockLevel,
  totalOf,
  UnknownItem,
  unknownItem,
} from './transactions.ts';

interface InDistrict {
  readonly w: number;
  readonly d: number;
}

export interface OrderLine extends InDistrict {
  readonly o: number;
  readonly number: number;
  readonly item: number;
  readonly supply: number;
  readonly quantity: bigint;
  readonly amount: string;
  readonly place: string;
}

interface Customer {
  readonly last: string;
  readonly credit: string;
  readonly discount: string;
  readonly balance: string;
  readonly payments: bigint;
  readonly deliveries: bigint;
  readonly data: string;
}

/** What an order’s status has of one line. */
interface StatusRow {
  readonly payments: bigint;
  readonly deliveries: bigint;
  readonly balance: string;
  readonly o: number;
  readonly entered: string;
  readonly carrier: bigint | null;
  readonly item: number;
  readonly supply: number;
  readonly quantity: bigint;
  readonly amount: string;
  readonly delivered: string | null;
}

/** The statements of the five transactions, on one connection. Decimals and times are texts, as drivers have them. */
export interface Queries {
  transaction<Result>(body: () => Promise<Result>): Promise<Result>;
  /** Takes the next order's number. */
  takeNext(of: InDistrict): Promise<{ readonly o: number; readonly tax: string }>;
  lockStock(of: { readonly supply: number; readonly i: number; readonly d: number }): Promise<{
    readonly quantity: bigint;
    readonly orders: bigint;
    readonly data: string;
    readonly place: string;
  }>;
  takeStock(of: {
    readonly supply: number;
    readonly i: number;
    readonly left: bigint;
    readonly quantity: bigint;
    readonly remote: bigint;
  }): Promise<unknown>;
  items(
    all: readonly number[],
  ): Promise<
    readonly { readonly id: number; readonly name: string; readonly price: string; readonly data: string }[]
  >;
  tax(warehouse: number): Promise<string>;
  customer(of: InDistrict & { readonly c: number }): Promise<Customer>;
  insertOrder(
    of: InDistrict & {
      readonly o: number;
      readonly c: number;
      readonly entered: string;
      readonly lines: number;
      readonly local: bigint;
    },
  ): Promise<unknown>;
  insertLines(lines: readonly OrderLine[]): Promise<unknown>;
  /** The customers with a last name, by their first names. */
  named(of: InDistrict & { readonly last: string }): Promise<readonly { readonly c: number }[]>;
  /** Each pays in, and returns its name. */
  payWarehouse(of: { readonly w: number; readonly amount: string }): Promise<string>;
  payDistrict(of: InDistrict & { readonly amount: string }): Promise<string>;
  lockCustomer(of: InDistrict & { readonly c: number }): Promise<Customer>;
  payCustomer(
    of: InDistrict & { readonly c: number; readonly amount: string; readonly data: string },
  ): Promise<unknown>;
  insertHistory(
    of: InDistrict & {
      readonly cw: number;
      readonly cd: number;
      readonly id: bigint;
      readonly c: number;
      readonly date: string;
      readonly amount: string;
      readonly data: string;
    },
  ): Promise<unknown>;
  /** One statement: its parts are of one moment. */
  status(of: InDistrict & { readonly c: number }): Promise<readonly StatusRow[]>;
  districts(warehouse: number): Promise<readonly number[]>;
  /** The oldest order that waits, locked. */
  oldest(of: InDistrict): Promise<number | null>;
  /** Takes it off the queue and gives it a carrier; returns its customer. */
  carry(of: InDistrict & { readonly o: number; readonly carrier: bigint }): Promise<number>;
  /** The amounts of its lines. */
  deliver(of: InDistrict & { readonly o: number; readonly delivered: string }): Promise<readonly string[]>;
  /** Returns the counters as they were before. */
  credit(
    of: InDistrict & { readonly c: number; readonly amount: string },
  ): Promise<{ readonly payments: bigint; readonly deliveries: bigint }>;
  /** In one statement, the next order's number and how many items of the last 20 orders are low in stock. */
  low(
    of: InDistrict & { readonly threshold: bigint },
  ): Promise<{ readonly next: number; readonly low: number }>;
}

/**
 * The five transactions as an application has them: what they find is computed here. Everything that is locked comes first: a reading
 * without a lock fixes the snapshot of a transaction in MySQL's family, in which rows that others have changed since may not be written.
 */
export class Transactions {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async #customerOf({ by_name, c_id, c_last }: CustomerWanted, w: number, d: number): Promise<number> {
    return by_name ? middleOf(await this.#queries.named({ w, d, last: c_last })).c : c_id;
  }

  async #place({ w_id: w, d_id: d, c_id: c, is_wrong: isWrong, lines }: NewOrder) {
    const entered = now();
    const { o, tax } = await this.#queries.takeNext({ w, d });
    const taken = [];
    for (const { supply_w_id: supply, i_id: i, quantity, number } of inOrderOfStock(lines)) {
      const before = await this.#queries.lockStock({ supply, i, d });
      const left = leftAfter(before.quantity, quantity);
      await this.#queries.takeStock({ supply, i, left, quantity, remote: supply === w ? 0n : 1n });
      taken.push({ number, i: isWrong && number === lines.length ? 0 : i, supply, quantity, before, left });
    }
    taken.sort((a, b) => a.number - b.number);
    const found = new Map(
      (await this.#queries.items(taken.map(({ i }) => i))).map((each) => [each.id, each]),
    );
    const rows = taken.map((row) => {
      const item = required(found.get(row.i));
      const price = centsOf(item.price);
      return { ...row, item, price, amount: row.quantity * price };
    });
    const [ofWarehouse, buyer] = [await this.#queries.tax(w), await this.#queries.customer({ w, d, c })];
    const local = lines.every(({ supply_w_id: supply }) => supply === w) ? 1n : 0n;
    await this.#queries.insertOrder({ w, d, o, c, entered, lines: lines.length, local });
    await this.#queries.insertLines(
      rows.map(({ number, i: item, supply, quantity, amount, before: { place: info } }) => {
        return { w, d, o, number, item, supply, quantity, amount: decimalOf(amount), place: info };
      }),
    );
    const sum = rows.reduce((total, { amount }) => total + amount, 0n);
    const [discount, wTax, dTax] = [rateOf(buyer.discount), rateOf(ofWarehouse), rateOf(tax)];
    const header = {
      o_id: o,
      o_entry_d: microsOf(entered),
      c_last: buyer.last,
      c_credit: buyer.credit,
      c_discount: discount,
      w_tax: wTax,
      d_tax: dTax,
      total: totalOf(sum, discount, wTax + dTax),
    };
    return {
      rows: rows.map(({ item, before, left, price, amount }) => ({
        ...header,
        i_name: item.name,
        i_price: price,
        s_quantity: left,
        is_brand: isOriginal(item.data, before.data),
        ol_amount: amount,
        s_order_cnt: before.orders,
      })),
    };
  }

  async #pay(payment: Payment, c: number) {
    const { w_id: w, d_id: d, c_w_id: cw, c_d_id: cd } = payment;
    const date = now();
    const amount = decimalOf(payment.amount);
    const names = [
      await this.#queries.payWarehouse({ w, amount }),
      await this.#queries.payDistrict({ w, d, amount }),
    ];
    const payer = await this.#queries.lockCustomer({ w: cw, d: cd, c });
    const isBad = payer.credit === 'BC';
    const data = isBad ? dataAfter(payer.data, c, payment) : payer.data;
    await this.#queries.payCustomer({ w: cw, d: cd, c, amount, data });
    const entry = { cw, cd, id: -1n - payment.h_id, c, d, w, date, amount, data: names.join('    ') };
    await this.#queries.insertHistory(entry);
    return {
      fields: {
        c_id: c,
        c_payment_cnt: payer.payments,
        c_delivery_cnt: payer.deliveries,
        c_balance: centsOf(payer.balance) - payment.amount,
        c_credit: payer.credit,
        c_data: isBad ? data.slice(0, 200) : '',
        h_date: microsOf(date),
      },
    };
  }

  async #show(wanted: OrderStatus) {
    const { w_id: w, d_id: d } = wanted;
    const c = await this.#customerOf(wanted, w, d);
    const rows = (await this.#queries.status({ w, d, c })).map((row) => ({
      c_id: c,
      c_payment_cnt: row.payments,
      c_delivery_cnt: row.deliveries,
      c_balance: centsOf(row.balance),
      o_id: row.o,
      o_entry_d: microsOf(row.entered),
      o_carrier_id: row.carrier ?? -1n,
      ol_i_id: row.item,
      ol_supply_w_id: row.supply,
      ol_quantity: row.quantity,
      ol_amount: centsOf(row.amount),
      ol_delivery_d: row.delivered === null ? -1n : microsOf(row.delivered),
    }));
    return { rows };
  }

  async #deliver({ w_id: w, carrier }: Delivery, districts: readonly number[]) {
    const delivered = now();
    const rows = [];
    for (const d of districts) {
      const o = await this.#queries.oldest({ w, d });
      if (o === null) {
        rows.push({ d_id: d, ...nothingToDeliver, ol_delivery_d: microsOf(delivered) });
        continue;
      }
      const c = await this.#queries.carry({ w, d, o, carrier });
      const amounts = await this.#queries.deliver({ w, d, o, delivered });
      const amount = amounts.reduce((sum, each) => sum + centsOf(each), 0n);
      const before = await this.#queries.credit({ w, d, c, amount: decimalOf(amount) });
      rows.push({
        d_id: d,
        o_id: o,
        c_id: c,
        amount,
        c_payment_cnt: before.payments,
        c_delivery_cnt: before.deliveries,
        ol_delivery_d: microsOf(delivered),
      });
    }
    return { rows };
  }

  operations() {
    return {
      new_order: (given: NewOrder) => this.#newOrder(given),
      payment: (given: Payment) => this.#payment(given),
      order_status: (wanted: OrderStatus) => this.#show(wanted),
      delivery: (given: Delivery) => this.#delivery(given),
      stock_level: (given: StockLevel) => this.#stockLevel(given),
    };
  }

  async #newOrder(given: NewOrder) {
    try {
      return await this.#queries.transaction(() => this.#place(given));
    } catch (error) {
      if (error instanceof UnknownItem && given.is_wrong) return unknownItem;
      throw error;
    }
  }

  /** The names of customers never change: they are found before the transaction. */
  async #payment(given: Payment) {
    const c = await this.#customerOf(given, given.c_w_id, given.c_d_id);
    return await this.#queries.transaction(() => this.#pay(given, c));
  }

  async #delivery(given: Delivery) {
    const districts = await this.#queries.districts(given.w_id);
    return await this.#queries.transaction(() => this.#deliver(given, districts));
  }

  async #stockLevel({ w_id: w, d_id: d, threshold }: StockLevel) {
    return { fields: { ...(await this.#queries.low({ w, d, threshold })) } };
  }
}
