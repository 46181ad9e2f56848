import type { Named } from '@fair-bench/workload';
import { firstUndelivered } from './names.ts';

const seconds = 2 ** 18;
const thirds = 2 ** 24;

/** The place of a row in one number: its warehouse, then for example its district, then its order. A part that a place lacks is 0; none is 0 itself. */
function placed(warehouse: number, second = 0, third = 0): number {
  return (warehouse * seconds + second) * thirds + third;
}

/** "4, 7, 2101" */
function placeText(key: number): string {
  const second = Math.floor(key / thirds);
  const all = [Math.floor(second / seconds), second % seconds, key % thirds];
  return all.filter((part) => part > 0).join(', ');
}

/** Sums of rows of one kind, by their warehouse, district and so on; in cents they stay below 2⁵³. */
class Sums {
  readonly sums = new Map<number, number>();

  add(key: number, amount: bigint | number): void {
    this.sums.set(key, (this.sums.get(key) ?? 0) + Number(amount));
  }

  /** The first key at which two kinds of sums differ, in words; null where none does. */
  unlike(other: Sums, name: string, otherName: string): string | null {
    for (const key of new Set([...this.sums.keys(), ...other.sums.keys()])) {
      const [one, two] = [this.sums.get(key) ?? 0, other.sums.get(key) ?? 0];
      if (one !== two) return `${name} is ${one} and ${otherName} is ${two} at (${placeText(key)})`;
    }
    return null;
  }
}

type Row = (table: string, row: Named) => void;
interface Condition {
  readonly name: string;
  readonly tables: readonly string[];
  readonly begin: (parameter: (name: string) => number) => {
    readonly row: Row;
    readonly end: () => string | null;
  };
}

/** A condition that two kinds of sums are equal. */
function equal(
  name: string,
  [left, right]: readonly [string, string],
  tables: Readonly<Record<string, (row: Named, left: Sums, right: Sums) => void>>,
): Condition {
  return {
    name,
    tables: Object.keys(tables),
    begin: () => {
      const [one, other] = [new Sums(), new Sums()];
      return {
        row: (table, row) => tables[table]?.(row, one, other),
        end: () => one.unlike(other, left, right),
      };
    },
  };
}

const at = (row: Named, warehouse: string, second?: string, third?: string): number =>
  placed(
    row.key(warehouse),
    second === undefined ? 0 : row.key(second),
    third === undefined ? 0 : row.key(third),
  );
const isNull = (value: bigint): boolean => value === -(2n ** 63n);

/** The largest and the smallest order of each district. */
const numbers: Condition = {
  name: '2: D_NEXT_O_ID − 1 = max(O_ID) = max(NO_O_ID)',
  tables: ['district', 'orders', 'new_order'],
  begin: () => {
    const next = new Map<number, number>();
    const orders = new Map<number, number>();
    const open = new Map<number, number>();
    const raise = (most: Map<number, number>, key: number, number: number): void =>
      void most.set(key, Math.max(most.get(key) ?? 0, number));
    return {
      row(table, row) {
        if (table === 'district') next.set(at(row, 'd_w_id', 'd_id'), Number(row.int('d_next_o_id')) - 1);
        else if (table === 'orders') raise(orders, at(row, 'o_w_id', 'o_d_id'), row.key('o_id'));
        else raise(open, at(row, 'no_w_id', 'no_d_id'), row.key('no_o_id'));
      },
      end() {
        for (const [key, last] of next) {
          const [order, undelivered = last] = [orders.get(key), open.get(key)];
          if (order !== last || undelivered !== last)
            return `${last}, ${order} and ${undelivered} at (${placeText(key)})`;
        }
        return null;
      },
    };
  },
};

const gaps: Condition = {
  name: '3: max(NO_O_ID) − min(NO_O_ID) + 1 = number of rows of NEW-ORDER',
  tables: ['new_order'],
  begin: () => {
    const found = new Map<number, { least: number; most: number; count: number }>();
    return {
      row(_table, row) {
        const [key, number] = [at(row, 'no_w_id', 'no_d_id'), row.key('no_o_id')];
        const known = found.get(key) ?? { least: number, most: number, count: 0 };
        known.least = Math.min(known.least, number);
        known.most = Math.max(known.most, number);
        known.count += 1;
        found.set(key, known);
      },
      end() {
        for (const [key, { least, most, count }] of found)
          if (most - least + 1 !== count)
            return `${least} to ${most} are ${count} rows at (${placeText(key)})`;
        return null;
      },
    };
  },
};

const delivered: Condition = {
  name: '11: orders − rows of NEW-ORDER = those delivered in the beginning + sum(C_DELIVERY_CNT)',
  tables: ['customer', 'orders', 'new_order'],
  begin: (parameter) => {
    const [open, counted] = [new Sums(), new Sums()];
    const before = firstUndelivered(parameter('customers')) - 1;
    return {
      row(table, row) {
        if (table === 'orders') open.add(at(row, 'o_w_id', 'o_d_id'), 1);
        else if (table === 'new_order') open.add(at(row, 'no_w_id', 'no_d_id'), -1);
        else counted.add(at(row, 'c_w_id', 'c_d_id'), row.int('c_delivery_cnt'));
      },
      end() {
        for (const key of counted.sums.keys()) counted.add(key, before);
        return open.unlike(counted, 'orders − new orders', 'deliveries');
      },
    };
  },
};

/** What customers were delivered, by the owner of each order. `orders` is read before `order_line`. */
function owed(
  name: string,
  balance: string,
  tables: Readonly<Record<string, (row: Named, sums: Sums) => void>>,
): Condition {
  return {
    name,
    tables: [
      'customer',
      'orders',
      'order_line',
      ...Object.keys(tables).filter((table) => table !== 'customer'),
    ],
    begin: () => {
      const owners = new Map<number, number>();
      const [amounts, balances] = [new Sums(), new Sums()];
      return {
        row(table, row) {
          if (table === 'orders') {
            const owner = placed(row.key('o_w_id'), row.key('o_d_id'), Number(row.int('o_c_id')));
            owners.set(at(row, 'o_w_id', 'o_d_id', 'o_id'), owner);
          } else if (table === 'order_line') {
            if (isNull(row.int('ol_delivery_d'))) return;
            const owner = owners.get(at(row, 'ol_w_id', 'ol_d_id', 'ol_o_id'));
            if (owner !== undefined) amounts.add(owner, row.int('ol_amount'));
          } else tables[table]?.(row, balances);
        },
        end: () => balances.unlike(amounts, balance, 'what was delivered'),
      };
    },
  };
}

const ofCustomer = (row: Named): number => at(row, 'c_w_id', 'c_d_id', 'c_id');

/** The consistency conditions of clause 3.3.2; 11 counts deliveries, without which it holds in the beginning only. */
export const conditions: readonly Condition[] = [
  equal('1: W_YTD = sum(D_YTD)', ['W_YTD', 'sum(D_YTD)'], {
    warehouse: (row, left) => left.add(at(row, 'w_id'), row.int('w_ytd')),
    district: (row, _left, right) => right.add(at(row, 'd_w_id'), row.int('d_ytd')),
  }),
  numbers,
  gaps,
  equal('4: sum(O_OL_CNT) = number of rows of ORDER-LINE', ['sum(O_OL_CNT)', 'the number of lines'], {
    orders: (row, left) => left.add(at(row, 'o_w_id', 'o_d_id'), row.int('o_ol_cnt')),
    order_line: (row, _left, right) => right.add(at(row, 'ol_w_id', 'ol_d_id'), 1),
  }),
  equal(
    '5: O_CARRIER_ID is null where there is a row of NEW-ORDER',
    ['orders without a carrier', 'new orders'],
    {
      orders: (row, left) => {
        if (isNull(row.int('o_carrier_id'))) left.add(at(row, 'o_w_id', 'o_d_id', 'o_id'), 1);
      },
      new_order: (row, _left, right) => right.add(at(row, 'no_w_id', 'no_d_id', 'no_o_id'), 1),
    },
  ),
  equal('6: O_OL_CNT = number of the order’s lines', ['O_OL_CNT', 'the number of lines'], {
    orders: (row, left) => left.add(at(row, 'o_w_id', 'o_d_id', 'o_id'), row.int('o_ol_cnt')),
    order_line: (row, _left, right) => right.add(at(row, 'ol_w_id', 'ol_d_id', 'ol_o_id'), 1),
  }),
  equal(
    '7: OL_DELIVERY_D is null where O_CARRIER_ID is',
    ['undelivered lines by their orders', 'by themselves'],
    {
      orders: (row, left) => {
        if (isNull(row.int('o_carrier_id')))
          left.add(at(row, 'o_w_id', 'o_d_id', 'o_id'), row.int('o_ol_cnt'));
      },
      order_line: (row, _left, right) => {
        if (isNull(row.int('ol_delivery_d'))) right.add(at(row, 'ol_w_id', 'ol_d_id', 'ol_o_id'), 1);
      },
    },
  ),
  equal('8: W_YTD = sum(H_AMOUNT)', ['W_YTD', 'sum(H_AMOUNT)'], {
    warehouse: (row, left) => left.add(at(row, 'w_id'), row.int('w_ytd')),
    history: (row, _left, right) => right.add(placed(Number(row.int('h_w_id'))), row.int('h_amount')),
  }),
  equal('9: D_YTD = sum(H_AMOUNT)', ['D_YTD', 'sum(H_AMOUNT)'], {
    district: (row, left) => left.add(at(row, 'd_w_id', 'd_id'), row.int('d_ytd')),
    history: (row, _left, right) =>
      right.add(placed(Number(row.int('h_w_id')), Number(row.int('h_d_id'))), row.int('h_amount')),
  }),
  owed('10: C_BALANCE = sum(OL_AMOUNT, delivered) − sum(H_AMOUNT)', 'C_BALANCE + sum(H_AMOUNT)', {
    customer: (row, sums) => sums.add(ofCustomer(row), row.int('c_balance')),
    history: (row, sums) =>
      sums.add(
        placed(row.key('h_c_w_id'), row.key('h_c_d_id'), Number(row.int('h_c_id'))),
        row.int('h_amount'),
      ),
  }),
  delivered,
  owed('12: C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT, delivered)', 'C_BALANCE + C_YTD_PAYMENT', {
    customer: (row, sums) => sums.add(ofCustomer(row), row.int('c_balance') + row.int('c_ytd_payment')),
  }),
];
