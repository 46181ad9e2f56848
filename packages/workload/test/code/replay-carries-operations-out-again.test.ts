import tpcc from '@fair-bench/workloads/tpcc';
import { chosen } from '@fair-bench/contract/test-support';
import { describe, expect, test } from 'vitest';
import type { ReplayResult } from '../../src/index.ts';
import {
  type Bench,
  type Call,
  change,
  lost,
  lying,
  reasonOf,
  type Target,
  trial,
  truth,
  withRows,
} from '../replay/simulation.ts';

const small = { warehouses: 2, districts: 2, customers: 30, items: 60 };
const setting = { description: tpcc, parameters: small, operations: 200 };
const endsAt = 700;
const notSent = {
  kind: 'fault',
  code: 'connection-refused',
  inDoubt: false,
  message: 'killed',
  retries: 0,
} as const;
/** By name, the number of a table. */
const numberOf = (name: string): number => tpcc.tables.findIndex((table) => table.name === name);
const placeOf = (table: string, column: string): number =>
  tpcc.tables[numberOf(table)]?.columns.findIndex(({ name }) => name === column) ?? -1;
const judged = async (target: (bench: Bench) => Target): Promise<ReplayResult> =>
  await trial(target, setting);

describe('an honest server', () => {
  test('passes, with every row and every reply compared, and all conditions hold', async () => {
    const finding = await judged(truth);
    expect(finding).toMatchObject({ status: 'passed', mismatches: 0 });
    expect(finding.conditions).toHaveLength(12);
    expect(finding.conditions?.filter(({ fact }) => fact !== null)).toEqual([]);
    expect(finding.isolation?.operations).toBeGreaterThan(700);
    const all = Object.values(finding.isolation?.anomalies ?? {}).reduce((sum, count) => sum + count, 0);
    expect(all).toBe(0);
  });

  test.each(chosen(['payment', 'new_order', 'delivery'], (name) => name === 'payment'))(
    'passes where the last replies of a %s are lost, whether it was done or not',
    async (name) => {
      let [seen, turn] = [0, 0];
      const losing = (bench: Bench): Target => ({
        execute(call) {
          seen += 1;
          // As when a server is killed: nothing comes after.
          if (seen <= endsAt) return bench.honest(call);
          if (call.operation !== name) return notSent;
          turn += 1;
          if (turn % 2 === 0) bench.honest(call);
          return lost;
        },
      });
      const finding = await trial(losing, { ...setting, inDoubtShareMax: 0.5 });
      expect(await reasonOf(Promise.resolve(finding))).toBe('');
      expect(finding.inDoubt).toBeGreaterThan(1);
      expect(finding.status === 'passed' ? finding.inDoubtApplied : 0).toBe(Math.floor(turn / 2));
    },
  );

  test('passes where replies are lost in between, of operations that a later one has seen', async () => {
    let turn = 0;
    const losing = lying('payment', 30, (call, bench) => {
      turn += 1;
      if (turn % 2 === 0) bench.honest(call);
      return lost;
    });
    const finding = await trial(losing, { ...setting, inDoubtShareMax: 0.5 });
    expect(await reasonOf(Promise.resolve(finding))).toBe('');
    expect(finding.status === 'passed' ? finding.inDoubtApplied : 0).toBe(Math.floor(turn / 2));
  });
});

/** Carries an operation out and gives some rows back the values that they had. */
function undoing(names: readonly string[]): (call: Call, bench: Bench) => ReturnType<Bench['honest']> {
  return (call, bench) => {
    const before = names.map(
      (name) => new Map(bench.store.rows(numberOf(name)).map((row) => [keyOf(name, row), row])),
    );
    const outcome = bench.honest(call);
    for (const [at, name] of names.entries()) {
      for (const row of bench.store.rows(numberOf(name))) {
        const old = before[at]?.get(keyOf(name, row));
        if (old === undefined) bench.store.remove(numberOf(name), keysOf(name, row));
        else bench.store.put(numberOf(name), old);
      }
    }
    return outcome;
  };
}

type StoredRow = ReturnType<Bench['store']['rows']>[number];
const keysOf = (name: string, row: StoredRow) =>
  row.slice(0, tpcc.tables[numberOf(name)]?.key.length).map((value) => value ?? 0);
const keyOf = (name: string, row: StoredRow): string => keysOf(name, row).join(' ');

describe('a server that lies', () => {
  test('a payment whose write to the customer is lost', async () => {
    expect(await reasonOf(judged(lying('payment', 7, undoing(['customer']))))).toMatch(
      /replaced what another had replaced before \(lost updates\): operation \d+ of session \d \(payment\) and operation \d+ of session \d \(payment\) both found \d+ of customer/,
    );
  });

  test('an order that is lost, while its district goes on to the next', async () => {
    const liar = lying('new_order', 40, undoing(['orders', 'new_order', 'order_line', 'stock']));
    expect(await reasonOf(judged(liar))).toMatch(/rows missing/);
  });

  test('an order that is there twice, and one that is not: all sums are right', async () => {
    const doubling = (bench: Bench): Target => ({
      execute: (call) => bench.honest(call),
      after() {
        const orders = bench.store.rows(numberOf('orders'));
        const [first, second] = orders.slice(-2);
        if (first === undefined || second === undefined) throw new Error('no orders');
        bench.store.put(numberOf('orders'), [...second.slice(0, 3), ...first.slice(3)]);
      },
    });
    expect(await reasonOf(judged(doubling))).toMatch(
      /rows with a wrong value: orders \(\d, \d, \d+\): o_c_id is/,
    );
  });

  test('a delivery that skips a district where an order waits', async () => {
    const skipping = lying('delivery', 5, (call, bench) => {
      const waiting = bench.store.rows(numberOf('new_order')).filter((row) => row[1] === 1);
      for (const row of waiting) bench.store.remove(numberOf('new_order'), keysOf('new_order', row));
      const outcome = bench.honest(call);
      for (const row of waiting) bench.store.put(numberOf('new_order'), row);
      return outcome;
    });
    expect(await reasonOf(judged(skipping))).toMatch(/it skips district 1, where an order waits/);
  });

  test('a stock level that counts what is not there', async () => {
    const counting = lying('stock_level', 1, (call, bench) => {
      const outcome = bench.honest(call);
      if (outcome.kind !== 'applied' || outcome.reply?.kind !== 'fields') return outcome;
      return { ...outcome, reply: { kind: 'fields', fields: outcome.reply.fields.with(1, 61n) } };
    });
    expect(await reasonOf(judged(counting))).toMatch(
      /61 items are low in stock, of \d+; at least \d+ were, and at most \d+/,
    );
  });

  test('an order status from before: every answer is the first', async () => {
    const first = new Map<string, ReturnType<Bench['honest']>>();
    const stale = (bench: Bench): Target => ({
      execute(call) {
        const outcome = bench.honest(call);
        if (call.operation !== 'order_status' || outcome.kind !== 'applied' || outcome.reply?.kind !== 'rows')
          return outcome;
        const name = [...call.values.slice(0, 2), outcome.reply.rows[0]?.[0]].map(String).join(' ');
        const known = first.get(name) ?? outcome;
        first.set(name, known);
        return known;
      },
    });
    const finding = await judged(stale);
    // No row is wrong, and no operation found what was never there: time alone says it.
    expect(finding.isolation?.anomalies['stale-read']).toBeGreaterThan(0);
  });

  test('a reply with another text', async () => {
    const altering = lying('new_order', 30, (call, bench) =>
      withRows(bench.honest(call), (rows) => rows.map((row) => row.with(2, 'NOBODY'))),
    );
    expect(await reasonOf(judged(altering))).toMatch(
      /do not leave: operation \d+ of session \d \(new_order\): c_last of row 0 is another text instead of/,
    );
  });

  test('an order that is declined, and should not be', async () => {
    const declining = lying('new_order', 30, () => ({
      kind: 'declined',
      reason: 'unknown-item',
      retries: 0,
    }));
    expect(await reasonOf(judged(declining))).toMatch(/declined for a reason that nothing permits/);
  });

  test('an order with an item that does not exist, which is applied all the same', async () => {
    let rolled = 0;
    const applying = (bench: Bench): Target => ({
      execute(call) {
        const outcome = bench.honest(call);
        if (outcome.kind !== 'declined') return outcome;
        rolled += 1;
        return { kind: 'applied', reply: { kind: 'rows', rows: [] }, retries: 0 };
      },
    });
    expect(await reasonOf(judged(applying))).toMatch(/must decline \(unknown-item\)/);
    expect(rolled).toBeGreaterThan(0);
  });
});

/** For each condition, a change of the rows that breaks it. */
const broken: Readonly<Record<string, readonly [table: string, column: string]>> = {
  '1': ['warehouse', 'w_ytd'],
  '2': ['district', 'd_next_o_id'],
  '4': ['orders', 'o_ol_cnt'],
  '5': ['orders', 'o_carrier_id'],
  '6': ['orders', 'o_ol_cnt'],
  '7': ['orders', 'o_carrier_id'],
  '8': ['warehouse', 'w_ytd'],
  '9': ['district', 'd_ytd'],
  '10': ['customer', 'c_balance'],
  '11': ['customer', 'c_delivery_cnt'],
  '12': ['customer', 'c_ytd_payment'],
};

describe('conditions', () => {
  test.each(chosen(Object.entries(broken), (_one, place) => place % 3 === 0))(
    'condition %s fails where %s is changed',
    async (number, [table, column]) => {
      const changing = (bench: Bench): Target => ({
        execute: (call) => bench.honest(call),
        after() {
          const row = bench.store.rows(numberOf(table)).at(-1);
          if (row === undefined) throw new Error('no row');
          const place = placeOf(table, column);
          const value = row[place];
          // An order that waits gets a carrier.
          const other = column === 'o_carrier_id' ? 7n : BigInt(Number(value)) + 1n;
          change(bench, numberOf(table), keysOf(table, row), { [place]: other });
        },
      });
      const { conditions = [] } = await judged(changing);
      const failed = conditions.filter(({ fact }) => fact !== null).map(({ name }) => name.split(':')[0]);
      expect(failed).toContain(number);
    },
  );

  test('condition 3 fails where an order in the middle of the queue is gone', async () => {
    const removing = (bench: Bench): Target => ({
      execute: (call) => bench.honest(call),
      after() {
        const waiting = bench.store.rows(numberOf('new_order')).filter((row) => row[0] === 1 && row[1] === 1);
        const middle = waiting[Math.floor(waiting.length / 2)];
        if (middle === undefined || waiting.length < 3) throw new Error('no queue');
        bench.store.remove(numberOf('new_order'), keysOf('new_order', middle));
      },
    });
    const { conditions = [] } = await judged(removing);
    expect(conditions.find(({ name }) => name.startsWith('3:'))?.fact).toMatch(/are \d+ rows at \(1, 1\)/);
  });
});
