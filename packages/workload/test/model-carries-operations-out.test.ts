import type { OperationOutcome, Row } from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import {
  add,
  boundaryCases,
  type ConformanceCase,
  createSeededModel,
  defineWorkload,
  drawnCases,
  equal,
  int64,
  key,
  less,
  outcomeDifference,
  parseDescription,
  row,
  smallWorkload,
  table,
  tableDifferences,
  uniform,
  unreachedRules,
} from '../src/index.ts';
import { everyRule } from './replay/every-rule.ts';
import { everyEffect } from './replay/simulation.ts';
import { order, papers } from './paper.ts';

const amountFrom = (amount: bigint) => [0, 1, amount];

test('a transfer moves the amount, and every rule declines before it', () => {
  const { model, store } = createSeededModel(smallWorkload(transfer));
  expect(model.execute(0, amountFrom(40n))).toEqual({ kind: 'applied', rows: null });
  expect(store.rows(0).slice(0, 2)).toEqual([
    [0, 999_999_960n],
    [1, 1_000_000_040n],
  ]);
  const reasons = [amountFrom(0n), [1, 1, 1n], [7, 1, 1n], [1, 7, 1n], amountFrom(10n ** 9n)].map(
    (values) => {
      const outcome = model.execute(0, values);
      return outcome.kind === 'declined' ? [outcome.rule, outcome.reason] : outcome;
    },
  );
  expect(reasons).toEqual([
    [0, 'non-positive-amount'],
    [1, 'same-account'],
    [2, 'missing-account'],
    [3, 'missing-account'],
    [4, 'insufficient-funds'],
  ]);
});

test('an order takes from stock and inserts its lines, or changes nothing', () => {
  const { model, store } = createSeededModel(smallWorkload(order));
  const lines = (items: number[], quantities: bigint[]) => ({
    length: items.length,
    fields: [items, quantities],
  });
  expect(model.execute(0, [5n, 3, lines([0, 6], [2n, 100n])])).toEqual({ kind: 'applied', rows: null });
  const outcome = model.execute(0, [6n, 3, lines([0, 6], [2n, 1n])]);
  expect(outcome).toMatchObject({ kind: 'declined', reason: 'out-of-stock' });
  expect(store.rows(0).map(([, quantity]) => quantity)).toEqual([98n, 100n, 100n, 100n, 100n, 100n, 0n]);
  expect(store.rows(2)).toEqual([[5n, 3, null, null]]);
  expect(store.rows(3)).toEqual([
    [5n, 0, 2n],
    [5n, 6, 100n],
  ]);
});

test('an impossible effect changes nothing', () => {
  const { model, store } = createSeededModel(smallWorkload(transfer));
  store.put(0, [1, 2n ** 63n - 1n]);
  expect(model.execute(0, amountFrom(40n))).toMatchObject({ kind: 'fault' });
  expect(store.get(0, [0])).toEqual([0, 1_000_000_000n]);
});

test('an effect finds what an earlier one of its operation changed', () => {
  const { model } = createSeededModel(smallWorkload(order));
  const twice = {
    length: 2,
    fields: [
      [1, 1],
      [2n, 3n],
    ],
  };
  expect(model.execute(0, [5n, 3, twice])).toMatchObject({ kind: 'fault', code: 'server-error' });
});

describe('of rows that may be missing', () => {
  const marks = defineWorkload({
    name: 'marks',
    parameters: {},
    tables: { mark: table({ rows: 5, key: 'id', columns: { level: int64(2) } }) },
    operations: {
      raise: {
        arguments: { id: key(uniform(0, 9)), level: int64(uniform(-9, 9)) },
        rows: { m: row('mark', 'id') },
        declines: [
          ['same', equal('id', 'level')],
          ['low', less('m.level', 'level')],
        ],
        effects: [add('m.level', 'level')],
      },
    },
  });

  test.each<[string, number, bigint, object]>([
    ['a key equals a 64-bit integer of its value', 3, 3n, { kind: 'declined', reason: 'same' }],
    ['a rule compares the column of a row', 4, 3n, { kind: 'declined', reason: 'low' }],
    ['no rule holds on the column of a missing row', 7, 3n, { kind: 'applied' }],
  ])('%s', (_, id, level, outcome) => {
    const { model, store } = createSeededModel(smallWorkload(marks));
    expect(model.execute(0, [id, level])).toMatchObject(outcome);
    expect(store.rows(0)).toEqual([0, 1, 2, 3, 4].map((each) => [each, 2n]));
  });
});

describe('a target differs from the model', () => {
  test('in rows that are missing, that differ, and that nobody wrote', () => {
    const [account] = smallWorkload(transfer).tables;
    if (account === undefined) throw new Error('transfer has a table');
    const expected = [
      [0, 5n],
      [1, null],
      [2, 7n],
    ];
    expect(
      tableDifferences(account, expected, [
        [2, 7n],
        [1, 6n],
        [0, 5n],
      ]),
    ).toEqual([]);
    expect(
      tableDifferences(account, expected, [
        [0, 4n],
        [1, 6n],
        [3, 7n],
      ]),
    ).toEqual([
      `${account.name}: rows that differ from the model's (1 ×): (0, 4) instead of (0, 5)`,
      `${account.name}: rows that are missing (1 ×): (2, 7)`,
      `${account.name}: rows that no operation wrote (1 ×): (3, 7)`,
    ]);
  });

  const applied = (...rows: Row[]): OperationOutcome => ({
    kind: 'applied',
    reply: { kind: 'rows', rows },
    retries: 0,
  });
  const bare: OperationOutcome = { kind: 'applied', reply: null, retries: 0 };
  const withFields = (...fields: Row): OperationOutcome => ({ ...bare, reply: { kind: 'fields', fields } });
  const declined: OperationOutcome = { kind: 'declined', reason: 'unknown', retries: 0 };
  const nothing: ConformanceCase['expected'] = { kind: 'applied', rows: null };

  test.each<[string, string, ConformanceCase['expected'], OperationOutcome, string | null]>([
    ['not', 'rename', nothing, bare, null],
    ['in a decline', 'rename', nothing, declined, 'rename: declined (unknown) instead of applied'],
    [
      'in its reason',
      'take',
      { kind: 'declined', reason: 'too-few', rule: 1 },
      declined,
      'take: declined (unknown) instead of declined (too-few)',
    ],
    ['in a reply', 'rename', nothing, applied(), 'rename: a reply where it returns nothing'],
    ['without a reply', 'look', { kind: 'applied', rows: [] }, bare, 'look: no reply'],
    ['not in rows', 'look', { kind: 'applied', rows: [[1, null]] }, applied([1, 5n]), null],
    [
      'in the number of rows',
      'look',
      { kind: 'applied', rows: [] },
      applied([1]),
      'look: 1 returned rows instead of 0',
    ],
    [
      'in a row',
      'list',
      { kind: 'applied', rows: [[1], [2]] },
      applied([1], [3]),
      'list: returned row 1 is (3) instead of (2)',
    ],
    [
      'in fields for rows',
      'list',
      { kind: 'applied', rows: [] },
      withFields(),
      'list: fields where it returns rows',
    ],
    ['not in fields', 'sell', nothing, withFields(1n, 2n), null],
    [
      'in the type of a field',
      'sell',
      nothing,
      withFields(1n, 2),
      'sell: a reply without the declared fields in their types',
    ],
    [
      'in the number of fields',
      'sell',
      nothing,
      withFields(1n, 2n, 3n),
      'sell: a reply without the declared fields in their types',
    ],
  ])('%s: %s', (_, name, expected, outcome, difference) => {
    const workload = smallWorkload(name === 'sell' ? everyRule : everyEffect);
    const number = workload.operations.findIndex((operation) => operation.name === name);
    const { store } = createSeededModel(workload);
    const one = { operation: number, values: [], expected };
    expect(outcomeDifference(workload, store, one, outcome)).toBe(difference);
  });
});

test.each([transfer, counter, ...papers].map((each) => [each.name, each] as const))(
  '%s: its cases reach every rule, and every operation is applied',
  (_name, description) => {
    expect(unreachedRules(description)).toEqual([]);
    const { model, store } = createSeededModel(smallWorkload(description));
    const applied = new Set<number>();
    for (const cases of [boundaryCases(model, store), drawnCases(model, store, 100)]) {
      for (const { operation, expected } of cases) if (expected.kind === 'applied') applied.add(operation);
    }
    expect(applied.size).toBe(description.operations.length);
    expect(parseDescription(JSON.parse(JSON.stringify(description)), 'plan')).toEqual(description);
  },
);
