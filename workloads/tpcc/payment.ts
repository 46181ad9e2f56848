import {
  bool,
  chance,
  either,
  int64,
  key,
  nurand,
  operation,
  syllables,
  text,
  uniform,
} from '@fair-bench/workload';
import type { Arguments, Named, Touches, Transaction } from '@fair-bench/workload';
import { constants, nameParts } from './names.ts';
import { atTerminal } from './new-order.ts';

/** 60 of a hundred customers are found by their last name (clauses 2.5.1.2 and 2.6.1.2). */
export const someCustomer = {
  by_name: bool(chance(60)),
  c_id: key('customer.c_id', nurand(1023, constants.customer)),
  c_last: syllables('customer.c_id', nameParts, { digits: 3, a: 255, c: constants.nameRun }),
};

/** The key of the customer: of those with a last name the middle one by first names, rounded up (clause 2.5.2.2). */
export function customerOf(
  tx: Pick<Transaction, 'find'>,
  given: Arguments,
  [w, d]: readonly [number, number],
): number {
  if (!given.flag('by_name')) return given.key('c_id');
  const named = [...tx.find('customer', [w, d], 'c_last', given.text('c_last'))];
  named.sort((a, b) => compare(a.text('c_first'), b.text('c_first')) || a.key('c_id') - b.key('c_id'));
  const middle = named[Math.ceil(named.length / 2) - 1];
  if (middle === undefined)
    throw new Error(`no customer of (${w}, ${d}) has the name ${given.text('c_last')}`);
  return middle.key('c_id');
}

/** By their codes, as a system with a binary order does. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The writes of a customer's row: each raises one of two counters. */
export function writesOf(row: Named): number {
  return Number(row.int('c_payment_cnt') + row.int('c_delivery_cnt'));
}

const dataMax = 500;
const shownMax = 200;

function does(tx: Transaction, given: Arguments, reply: readonly Named[] | null) {
  const [w, d] = [given.key('w_id'), given.key('d_id')];
  const [cw, cd] = [given.key('c_w_id'), given.key('c_d_id')];
  const amount = given.int('amount');
  const c = customerOf(tx, given, [cw, cd]);
  const [warehouse, district] = [tx.row('warehouse', [w]), tx.row('district', [w, d])];
  const customer = tx.row('customer', [cw, cd, c]);
  tx.add('warehouse', [w], { w_ytd: amount });
  tx.add('district', [w, d], { d_ytd: amount });
  const isBad = customer.text('c_credit') === 'BC';
  const cents = String(amount).padStart(3, '0');
  const entry = `${c} ${cd} ${cw} ${d} ${w} ${cents.slice(0, -2)}.${cents.slice(-2)}|`;
  const data = isBad ? `${entry}${customer.text('c_data')}`.slice(0, dataMax) : customer.text('c_data');
  tx.set('customer', [cw, cd, c], {
    c_balance: customer.int('c_balance') - amount,
    c_ytd_payment: customer.int('c_ytd_payment') + amount,
    c_payment_cnt: customer.int('c_payment_cnt') + 1n,
    c_data: data,
  });
  tx.insert('history', {
    h_c_w_id: cw,
    h_c_d_id: cd,
    h_id: -1n - given.int('h_id'),
    h_c_id: BigInt(c),
    h_d_id: BigInt(d),
    h_w_id: BigInt(w),
    h_date: reply?.[0]?.int('h_date') ?? null,
    h_amount: amount,
    h_data: `${warehouse.text('w_name')}    ${district.text('d_name')}`,
  });
  return {
    c_id: c,
    c_payment_cnt: customer.int('c_payment_cnt'),
    c_delivery_cnt: customer.int('c_delivery_cnt'),
    c_balance: customer.int('c_balance') - amount,
    c_credit: customer.text('c_credit'),
    c_data: isBad ? data.slice(0, shownMax) : '',
  };
}

/** The row of history has a key of its own. */
function witness(given: Arguments) {
  return {
    table: 'history',
    row: {
      h_c_w_id: given.key('c_w_id'),
      h_c_d_id: given.key('c_d_id'),
      h_id: -1n - given.int('h_id'),
      h_d_id: BigInt(given.key('d_id')),
      h_w_id: BigInt(given.key('w_id')),
      h_amount: given.int('amount'),
    },
  };
}

function found(chains: Touches, given: Arguments, reply: readonly Named[]): void {
  const [row] = reply;
  if (row !== undefined)
    chains.wrote('customer', [given.key('c_w_id'), given.key('c_d_id'), row.key('c_id')], writesOf(row));
}

/** Clause 2.5. */
export const payment = {
  weight: 43,
  reported: { p90MsMax: 5000 },
  arguments: {
    h_id: operation(),
    ...atTerminal,
    is_local: bool(chance(85)),
    c_w_id: key('warehouse', either('is_local', 'w_id', { differs: true })),
    c_d_id: key('district.d_id', either('is_local', 'd_id', { differs: false })),
    ...someCustomer,
    amount: int64(uniform(100, 500_000)),
  },
  returns: {
    c_id: key,
    /** What it found of the two counters, which order the writes of a customer's row. */
    c_payment_cnt: int64,
    c_delivery_cnt: int64,
    c_balance: int64,
    c_credit: text(2),
    c_data: text(shownMax),
    h_date: int64,
  },
  code: { writes: { warehouse: 1, district: 1, customer: 1, history: 1 }, does, found, witness },
};
