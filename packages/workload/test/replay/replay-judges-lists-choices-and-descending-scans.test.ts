import type { OperationOutcome, Row, Value } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import { defineWorkload, insert, int64, operation, returned, table, uniform } from '../../src/index.ts';
import { everyRule } from './every-rule.ts';
import {
  change,
  examplesOf,
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

const setting = { description: everyRule, operations: 500 };
const judge = async (name: string, lie: (call: Call, bench: Bench) => OperationOutcome): Promise<string> =>
  await reasonOf(trial(lying(name, 7, lie), setting));
const changedRows =
  (changed: (rows: readonly Row[], call: Call) => readonly Row[]) =>
  (call: Call, bench: Bench): OperationOutcome =>
    withRows(bench.honest(call), (rows) => changed(rows, call));
const declining = (reason: string) => (): OperationOutcome => ({ kind: 'declined', reason, retries: 0 });

test('the truth passes', async () => {
  expect(examplesOf(await trial(truth, { ...setting, operations: 2000 }))).toBe('');
});

test('the truth passes when the stock runs out', async () => {
  expect(examplesOf(await trial(truth, { ...setting, parameters: { stock: 20 } }))).toBe('');
});

test.each([
  ['another total than the one that is stored', [5n, 0n], /inserted with other values: sale \(\d+\)/],
  ['another count than the one that is stored', [0n, 5n], /inserted with other values: sale \(\d+\)/],
  ['no total', [], /sell: 2 fields expected, got 0/],
])('a reply with %s', async (_, fields, expected) => {
  const reply = { kind: 'fields', fields } as const;
  expect(
    await judge('sell', (call, bench) => {
      const outcome = bench.honest(call);
      return outcome.kind === 'applied' ? { ...outcome, reply } : outcome;
    }),
  ).toMatch(expected);
});

test('values that the server chooses pass where rows and replies have the same, or the reply was lost', async () => {
  const chosen = (id: Value | undefined): bigint => (typeof id === 'bigint' ? id * 3n : 0n);
  const target = (bench: Bench): Target => ({
    execute(call) {
      const outcome = bench.honest(call);
      if (call.operation !== 'sell' || outcome.kind !== 'applied') return outcome;
      if (call.sequence % 100 === 20) return lost;
      const total = chosen(call.values[0]);
      return { ...outcome, reply: { kind: 'fields', fields: [total, total + 1n] } };
    },
    rows: (number, rows) =>
      number === 2 ? rows.map(([id = 0n]) => [id, chosen(id), chosen(id) + 1n]) : rows,
  });
  expect(examplesOf(await trial(target, setting))).toBe('');
});

/** Of two operations that insert into one table, the server chooses another column each. */
const notes = defineWorkload({
  name: 'notes',
  parameters: {},
  tables: { note: table({ rows: 0, key: 'id', columns: { id: int64, first: int64, second: int64 } }) },
  operations: {
    left: {
      arguments: { id: operation(), own: int64(uniform(1, 9)) },
      effects: [insert('note', { id: 'id', first: 'own', second: returned('chosen') })],
      returns: { chosen: int64 },
    },
    right: {
      arguments: { id: operation(), own: int64(uniform(1, 9)) },
      effects: [insert('note', { id: 'id', first: returned('chosen'), second: 'own' })],
      returns: { chosen: int64 },
    },
  },
});

test('a row is compared with what the operation that inserted it says', async () => {
  expect(examplesOf(await trial(truth, { description: notes }))).toBe('');
  const swapped = (bench: Bench): Target => ({
    ...truth(bench),
    rows: (_, rows) => rows.map(([id = 0n, first = 0n, second = 0n]) => [id, second, first]),
  });
  expect(examplesOf(await trial(swapped, { description: notes }))).toMatch(
    /inserted with other values: note/,
  );
});

test('an effect only on the first record of a list', async () => {
  expect(
    await judge('sell', (call, bench) => {
      const [id = 0n, lines] = call.values;
      if (typeof lines !== 'object' || lines instanceof Uint8Array) return bench.honest(call);
      return bench.honest({ ...call, values: [id, { ...lines, length: 1 }] });
    }),
  ).toMatch(/shelf.stock of row \d+: expected \d+ \(\+\d+\)/);
});

test('the other one of two columns that an argument chooses from', async () => {
  expect(
    await judge('paint', (call, bench) => {
      const [shelf = 0, side = 0, label = ''] = call.values;
      return bench.honest({ ...call, values: [shelf, 1 - Number(side), label] });
    }),
  ).toMatch(/shelf.(front|back) of row \d+/);
});

test('a row that is set without an operation', async () => {
  expect(
    await judge('sell', (call, bench) => {
      change(bench, 0, [11], { 2: bench.store.get(0, [10])?.[2] ?? '' });
      return bench.honest(call);
    }),
  ).toMatch(/shelf.front of row 11/);
});

test.each([
  ['pin', 'taken'],
  ['pin', 'forbidden'],
  ['sell', 'unknown'],
  ['sell', 'too-few'],
])('%s declined as %s without a reason', async (name, reason) => {
  expect(await judge(name, declining(reason))).toMatch(
    new RegExp(`permits: operation \\d+ of session \\d+ \\(${name}\\): ${reason}`),
  );
});

test('pin declined as taken where no earlier rule forbids it', async () => {
  const taken = declining('taken');
  expect(await judge('pin', (call, bench) => (call.values[0] === 3 ? bench.honest(call) : taken()))).toMatch(
    /\(pin\): taken/,
  );
});

test('a decline for a reason of another operation', async () => {
  expect(await judge('pin', declining('too-few'))).toMatch(/declined for no reason of its own: too-few/);
});

test('a descending scan with a row left out and the limit filled', async () => {
  expect(
    await judge('top', (call, bench) => {
      const [shelf = 0, limit = 0] = call.values;
      const longer = bench.honest({ ...call, values: [shelf, Number(limit) + 1] });
      const leavesSeeded = (rows: readonly Row[]): boolean => Number(rows.at(-2)?.[1] ?? 9) < 6;
      return withRows(longer, (rows) =>
        rows.length > Number(limit) && leavesSeeded(rows)
          ? rows.toSpliced(-2, 1)
          : rows.slice(0, Number(limit)),
      );
    }),
  ).toMatch(/top: row \d+ of slot is left out/);
});

const pinned = ([, at]: Row): boolean => Number(at) >= 6;

test.each([
  [
    'that ascends',
    (all) => [...all.filter(pinned).toReversed(), ...all.filter((one) => !pinned(one))],
    /order/,
  ],
  ['that ends early', (all) => all.slice(0, -1), /ends before row \d+ of slot/],
] satisfies [string, (rows: readonly Row[]) => readonly Row[], RegExp][])(
  'a descending scan %s',
  async (_, changed, expected) => {
    expect(await judge('top', changedRows(changed))).toMatch(expected);
  },
);

test('a descending scan of the next shelf', async () => {
  expect(
    await judge('top', (call, bench) => {
      const [shelf = 0, limit = 0] = call.values;
      return bench.honest({ ...call, values: [(Number(shelf) + 1) % 12, limit] });
    }),
  ).toMatch(/top: slot \(\d+, \d+\) is out of range/);
});

test('a descending scan without rows pinned before, and the limit filled', async () => {
  expect(
    await judge('top', (call, bench) => {
      const [shelf = 0, limit = 0] = call.values;
      const longer = bench.honest({ ...call, values: [shelf, 1000] });
      return withRows(longer, (rows) => rows.filter((one) => !pinned(one)).slice(0, Number(limit)));
    }),
  ).toMatch(/left out an existing row: slot \(\d+, \d+\), inserted by operation/);
});

test.each([
  ['two rows', (rows) => [...rows, ...rows], /look: 2 rows for one key/],
  ['no row', () => [], /look: shelf \(\d+\) is missing/],
  ['a column less', (rows) => rows.map((row) => row.slice(1)), /look: a row of shelf has 3 columns, not 4/],
  [
    'a number for text',
    (rows) => rows.map((row) => row.with(2, 7)),
    /look: shelf \(\d+\): front is not of type text: 7/,
  ],
  [
    'a sum that never was',
    (rows) => rows.map((row) => row.with(1, 5_000_000n)),
    /shelf.stock of row \d+ is 5000000, outside -?\d+ to 1000/,
  ],
] satisfies [string, (rows: readonly Row[]) => readonly Row[], RegExp][])(
  'a read that gives %s',
  async (_, changed, expected) => {
    expect(await judge('look', changedRows(changed))).toMatch(expected);
  },
);

test('a read without rows', async () => {
  const nothing = (call: Call, bench: Bench): OperationOutcome => {
    const outcome = bench.honest(call);
    return outcome.kind === 'applied' ? { ...outcome, reply: { kind: 'fields', fields: [] } } : outcome;
  };
  expect(await judge('look', nothing)).toMatch(/look: rows expected, got fields/);
});
