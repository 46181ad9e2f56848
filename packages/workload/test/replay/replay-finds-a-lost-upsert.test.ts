import { describe, expect, test } from 'vitest';
import type { Row } from '@fair-bench/contract';
import cart from '@fair-bench/workloads/cart';
import {
  add,
  defineWorkload,
  insertIfMissing,
  int64,
  integer,
  row,
  table,
  uniform,
} from '../../src/index.ts';
import {
  acknowledged,
  change,
  lost,
  lying,
  reasonOf,
  trial,
  truth,
  withRows,
  type Bench,
  type Call,
  type Target,
} from './simulation.ts';

/** Most lines of these carts are new, and some are put twice at the same time. */
const setting = { description: cart, parameters: { carts: 5, products: 60, lines: 100 } };

const keyOf = ({ values }: Call) => [Number(values[0]), Number(values[1])];

test('an upsert that is carried out passes, whether its row was there or not', async () => {
  const passed = await trial(truth, setting);
  expect(passed).toMatchObject({ status: 'passed', mismatches: 0 });
  expect(passed.rowsChecked).toBeGreaterThan(200);
  // Every row is seeded: none is inserted.
  const seeded = { description: cart, parameters: { carts: 50, products: 1 } };
  expect(await trial(truth, { ...setting, ...seeded })).toMatchObject({ status: 'passed' });
  const sparse = { ...setting, parameters: { carts: 1000, products: 2 ** 31 } };
  expect(await trial(truth, sparse)).toMatchObject({ status: 'passed' });
});

describe('an upsert', () => {
  test('that overwrites the row that is there', async () => {
    const liar = lying('put', 7, (call, bench) => {
      const before = bench.store.get(0, keyOf(call));
      const outcome = bench.honest(call);
      if (before !== null) change(bench, 0, keyOf(call), { 2: BigInt(Number(call.values[2])) });
      return outcome;
    });
    expect(await reasonOf(trial(liar, setting))).toMatch(
      /^\d+ sums that no choice of the operations in doubt explains.*\n.*item\.quantity of /,
    );
  });

  test('that changes nothing where the row is missing', async () => {
    const liar = lying('put', 5, (call, bench) =>
      bench.store.get(0, keyOf(call)) === null ? acknowledged : bench.honest(call),
    );
    expect(await reasonOf(trial(liar, { ...setting, parameters: { carts: 50, products: 100 } }))).toMatch(
      /inserted and not there/,
    );
  });

  test('that inserts a second row', async () => {
    const doubled = (bench: Bench): Target => ({
      ...truth(bench),
      rows: (_table, rows) => [...rows, ...rows.filter((_, place) => place === rows.length - 1)],
    });
    expect(await reasonOf(trial(doubled, setting))).toMatch(/there more than once/);
  });

  test('whose row a view leaves out, although it was put before', async () => {
    const liar = lying('view', 5, (call, bench) => withRows(bench.honest(call), (rows) => rows.slice(0, -1)));
    // Every row is put again and again, until the end: it was there from the first time on.
    const again = { ...setting, parameters: { carts: 2, products: 5 } };
    expect(await reasonOf(trial(liar, again))).toMatch(/scans that left out an existing row/);
  });

  test('whose reply was lost may have been the one that inserted the row, or not', async () => {
    for (const isCarriedOut of [true, false]) {
      const doubtful = lying('put', 40, (call, bench) => {
        if (isCarriedOut) bench.honest(call);
        return lost;
      });
      const result = await trial(doubtful, { ...setting, inDoubtShareMax: 1 });
      expect(result).toMatchObject({ status: 'passed', inDoubtApplied: isCarriedOut ? result.inDoubt : 0 });
      expect(result.inDoubt).toBeGreaterThan(5);
    }
  });

  test('whose reply was lost hides no other one', async () => {
    let doubts = 0;
    const liar = lying('put', 20, (call, bench) => {
      doubts += 1;
      if (doubts % 2 === 0) return lost;
      // Acknowledged, and only half of it done.
      bench.honest(call);
      change(bench, 0, keyOf(call), { 2: 0n });
      return acknowledged;
    });
    expect(await reasonOf(trial(liar, { ...setting, inDoubtShareMax: 1 }))).toMatch(/sums that no choice/);
    expect(doubts).toBeGreaterThan(1);
  });

  test('acknowledged after another one whose reply was lost, on a row that is not there in the end', async () => {
    const missing = (bench: Bench): Target => {
      const doubtful = new Set<string>();
      const acknowledgedToo: (readonly number[])[] = [];
      let puts = 0;
      return {
        execute(call) {
          if (call.operation !== 'put') return bench.honest(call);
          puts += 1;
          const isNew = bench.store.get(0, keyOf(call)) === null;
          const outcome = bench.honest(call);
          if (isNew && puts % 10 === 0) doubtful.add(keyOf(call).join(' '));
          else if (doubtful.has(keyOf(call).join(' '))) acknowledgedToo.push(keyOf(call));
          else return outcome;
          return isNew ? lost : outcome;
        },
        after() {
          const [key] = acknowledgedToo;
          if (key === undefined) throw new Error('no row was put twice');
          bench.store.remove(0, key);
        },
      };
    };
    expect(await reasonOf(trial(missing, { ...setting, inDoubtShareMax: 1 }))).toMatch(
      /^1 inserted and not there/,
    );
  });

  test('whose reply was lost, half carried out: its row without what it adds', async () => {
    const counts = defineWorkload({
      name: 'counts',
      parameters: { words: { type: 'integer', default: 1, min: 1, max: 9, about: 'words' } },
      tables: { word: table({ rows: 'words', key: 'id', columns: { count: int64(0) } }) },
      operations: {
        count: {
          arguments: { id: integer(uniform(0, 100_000)), more: int64(uniform(1, 9)) },
          rows: { w: row('word', 'id') },
          effects: [insertIfMissing('word', { id: 'id', count: 0 }), add('w.count', 'more')],
        },
      },
    });
    const sparse = { description: counts, operations: 100, inDoubtShareMax: 1 };
    const ending = (left: (call: Call) => Row) =>
      lying('count', 30, (call, bench) => {
        bench.store.put(0, left(call));
        return lost;
      });
    const half = ending(({ values }) => [Number(values[0]), 0n]);
    expect(await reasonOf(trial(half, sparse))).toMatch(/sums that no choice/);
    const whole = ending(({ values }) => [Number(values[0]), BigInt(Number(values[1]))]);
    expect(await reasonOf(trial(whole, sparse))).toBe('');
  });
});
