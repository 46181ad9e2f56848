import { defineWorkload, int64, key, table, text, uniform, zipf } from '@fair-bench/workload';
import type { Arguments, Named, Past, Touches, Transaction } from '@fair-bench/workload';

type Kind = 'savings' | 'checking';

/** Each row counts its own writes, which puts them into one order: SmallBank's tables have no such column. */
const account = (balance: string) => ({ balance: int64(balance), writes: int64(0) });
const customer = () => key('account', zipf('skew', { scramble: true }));
const amount = () => int64(uniform(1, 'amountMax'));

/** What an operation returns of a row that it found. */
const returned = (...names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => [`${name}_balance`, `${name}_writes`].map((one) => [one, int64])),
  );

function shown(name: string, row: Named) {
  return { [`${name}_balance`]: row.int('balance'), [`${name}_writes`]: row.int('writes') };
}

function write(tx: Transaction, kind: Kind, id: number, balance: bigint): void {
  const row = tx.row(kind, [id]);
  tx.set(kind, [id], { balance, writes: row.int('writes') + 1n });
}

const balance = {
  arguments: { id: customer() },
  returns: returned('savings', 'checking'),
  code: {
    does(tx: Transaction, given: Arguments) {
      const [savings, checking] = [
        tx.row('savings', [given.key('id')]),
        tx.row('checking', [given.key('id')]),
      ];
      return { ...shown('savings', savings), ...shown('checking', checking) };
    },
    found(chains: Touches, given: Arguments, [row]: readonly Named[]) {
      chains.read('savings', [given.key('id')], Number(row?.int('savings_writes')));
      chains.read('checking', [given.key('id')], Number(row?.int('checking_writes')));
    },
  },
};

const depositChecking = {
  arguments: { id: customer(), amount: amount() },
  returns: returned('checking'),
  code: {
    writes: { checking: 1 },
    does(tx: Transaction, given: Arguments) {
      const checking = tx.row('checking', [given.key('id')]);
      write(tx, 'checking', given.key('id'), checking.int('balance') + given.int('amount'));
      return shown('checking', checking);
    },
    found(chains: Touches, given: Arguments, [row]: readonly Named[]) {
      chains.wrote('checking', [given.key('id')], Number(row?.int('checking_writes')));
    },
  },
};

const tooFew = 'insufficient-funds';

/** Whether a balance can have been too small meanwhile. */
const wasShort = (kind: Kind) => (past: Past, given: Arguments) =>
  past.values(kind, [given.key('id')], 'balance').some((one) => one < given.int('amount'))
    ? null
    : `its ${kind} were never below ${given.int('amount')} meanwhile`;

/** Takes from the savings where they suffice; what is below 0 is paid in. */
const transactSavings = {
  arguments: { id: customer(), amount: int64(uniform('savingsMin', 'amountMax')) },
  returns: returned('savings'),
  code: {
    reasons: [tooFew],
    writes: { savings: 1 },
    does(tx: Transaction, given: Arguments) {
      const savings = tx.row('savings', [given.key('id')]);
      const left = savings.int('balance') - given.int('amount');
      if (left < 0n) tx.decline(tooFew);
      write(tx, 'savings', given.key('id'), left);
      return shown('savings', savings);
    },
    found(chains: Touches, given: Arguments, [row]: readonly Named[]) {
      chains.wrote('savings', [given.key('id')], Number(row?.int('savings_writes')));
    },
    declined: wasShort('savings'),
  },
};

/** Reads both balances, and takes a penalty of 1 where their sum is too small: the pair that snapshots let skew. */
const writeCheck = {
  arguments: { id: customer(), amount: amount() },
  returns: returned('savings', 'checking'),
  code: {
    writes: { checking: 1 },
    does(tx: Transaction, given: Arguments) {
      const id = given.key('id');
      const [savings, checking] = [tx.row('savings', [id]), tx.row('checking', [id])];
      const isShort = savings.int('balance') + checking.int('balance') < given.int('amount');
      const penalty = isShort ? 1n : 0n;
      write(tx, 'checking', id, checking.int('balance') - given.int('amount') - penalty);
      return { ...shown('savings', savings), ...shown('checking', checking) };
    },
    found(chains: Touches, given: Arguments, [row]: readonly Named[]) {
      chains.read('savings', [given.key('id')], Number(row?.int('savings_writes')));
      chains.wrote('checking', [given.key('id')], Number(row?.int('checking_writes')));
    },
  },
};

const two = { id: customer(), other: key('account', zipf('skew', { scramble: true }), { not: 'id' }) };

/** Moves all that the first customer has to the second one’s checking account. */
const amalgamate = {
  arguments: two,
  returns: returned('savings', 'checking', 'other'),
  code: {
    writes: { savings: 1, checking: 2 },
    does(tx: Transaction, given: Arguments) {
      const [id, to] = [given.key('id'), given.key('other')];
      const [savings, checking] = [tx.row('savings', [id]), tx.row('checking', [id])];
      const other = tx.row('checking', [to]);
      const sum = savings.int('balance') + checking.int('balance');
      write(tx, 'savings', id, 0n);
      write(tx, 'checking', id, 0n);
      write(tx, 'checking', to, other.int('balance') + sum);
      return { ...shown('savings', savings), ...shown('checking', checking), ...shown('other', other) };
    },
    found(chains: Touches, given: Arguments, [row]: readonly Named[]) {
      chains.wrote('savings', [given.key('id')], Number(row?.int('savings_writes')));
      chains.wrote('checking', [given.key('id')], Number(row?.int('checking_writes')));
      chains.wrote('checking', [given.key('other')], Number(row?.int('other_writes')));
    },
  },
};

/** Pays from one checking account into another where the first suffices. */
const sendPayment = {
  arguments: { ...two, amount: amount() },
  returns: returned('checking', 'other'),
  code: {
    reasons: [tooFew],
    writes: { checking: 2 },
    does(tx: Transaction, given: Arguments) {
      const [id, to] = [given.key('id'), given.key('other')];
      const [checking, other] = [tx.row('checking', [id]), tx.row('checking', [to])];
      const left = checking.int('balance') - given.int('amount');
      if (left < 0n) tx.decline(tooFew);
      write(tx, 'checking', id, left);
      write(tx, 'checking', to, other.int('balance') + given.int('amount'));
      return { ...shown('checking', checking), ...shown('other', other) };
    },
    found(chains: Touches, given: Arguments, [row]: readonly Named[]) {
      chains.wrote('checking', [given.key('id')], Number(row?.int('checking_writes')));
      chains.wrote('checking', [given.key('other')], Number(row?.int('other_writes')));
    },
    declined: wasShort('checking'),
  },
};

/** SmallBank (M. Alomari, M. Cahill, A. Fekete, U. Röhm: The cost of serializability on platforms that use snapshot isolation, ICDE 2008). */
export default defineWorkload({
  name: 'smallbank',
  about: 'Six transactions on savings and checking accounts; two of them skew where reads are of a snapshot.',
  parameters: {
    customers: { type: 'integer', default: 18_000, min: 2, max: 2 ** 32, about: 'customers' },
    initialBalance: {
      type: 'int64',
      default: '10000',
      min: '0',
      max: '1000000000000',
      about: 'initial balance of each account',
    },
    amountMax: { type: 'integer', default: 100, min: 1, max: 2 ** 21, about: 'largest amount, from 1' },
    savingsMin: {
      type: 'integer',
      default: -100,
      min: -(2 ** 21),
      max: 1,
      about: 'smallest amount taken from savings: below 0 it is paid in',
    },
    skew: { type: 'number', default: 0.5, min: 0, max: 32, about: 'Zipf exponent of the customers' },
  },
  tables: {
    account: table({ rows: 'customers', key: 'id', columns: { name: text(24) } }),
    savings: table({ rows: 'customers', key: 'id', columns: account('initialBalance') }),
    checking: table({ rows: 'customers', key: 'id', columns: account('initialBalance') }),
  },
  operations: {
    balance: { weight: 15, ...balance },
    deposit_checking: { weight: 15, ...depositChecking },
    transact_savings: { weight: 15, ...transactSavings },
    write_check: { weight: 15, ...writeCheck },
    amalgamate: { weight: 15, ...amalgamate },
    send_payment: { weight: 25, ...sendPayment },
  },
  chains: {
    savings: { table: 'savings', counter: ['writes'], keeps: ['balance'] },
    checking: { table: 'checking', counter: ['writes'], keeps: ['balance'] },
  },
  axes: { skew: { label: 's', factor: 'contention', sweep: [0.5] } },
});
