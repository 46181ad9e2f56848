import { isListValue, type Value } from '@fair-bench/contract';
import transfer from '@fair-bench/workloads/transfer';
import { describe, expect, test } from 'vitest';
import { drawerOf } from '../src/cases.ts';
import {
  add,
  boundaryCases,
  type ConformanceCase,
  createSeededModel,
  defineWorkload,
  drawnCases,
  int64,
  key,
  row,
  smallParameters,
  smallWorkload,
  table,
  uniform,
  type WorkloadDescription,
} from '../src/index.ts';
import { everyEffect } from './replay/simulation.ts';
import { objects, order } from './paper.ts';

const casesOf = (description: WorkloadDescription, count = 0): ConformanceCase[] => {
  const { model, store } = createSeededModel(smallWorkload(description));
  return [...(count === 0 ? boundaryCases(model, store) : drawnCases(model, store, count))];
};
const valuesAt = (cases: readonly ConformanceCase[], operation: number, slot: number): Value[] =>
  cases.flatMap(({ operation: number, values }) => (number === operation ? (values[slot] ?? []) : []));

/** Two operations of one shape; either may add too much for 64 bits. */
const sums = defineWorkload({
  name: 'sums',
  parameters: {
    rows: { type: 'integer', default: 1000, min: 10, max: 2000, about: 'at least ten' },
    few: { type: 'integer', default: 5, min: 1, max: 5, about: 'at most five' },
    start: { type: 'int64', default: '100', min: '50', max: '200', about: 'what a sum begins with' },
  },
  tables: {
    sum: table({ rows: 'rows', key: 'id', columns: { value: int64('start') } }),
    other: table({ rows: 'few', key: 'id', columns: { value: int64(0) } }),
  },
  operations: {
    raise: {
      arguments: { id: key('sum', uniform()), amount: int64(uniform(0, 1_000_000)) },
      rows: { s: row('sum', 'id') },
      effects: [add('s.value', 'amount')],
    },
    lower: {
      arguments: { id: key('sum', uniform()), amount: int64(uniform(0, 1_000_000)) },
      rows: { s: row('sum', 'id') },
      effects: [add('s.value', '-amount')],
    },
  },
});

describe('small parameters', () => {
  test.each([
    [undefined, '100'],
    [7n, '50'],
    [60n, '60'],
    [1000n, '200'],
  ])('are in the range of each, as amounts of %s', (amounts, start) => {
    const sizes = amounts === undefined ? {} : { amounts };
    expect(smallParameters(sums, sizes)).toMatchObject({ rows: 10, few: 5, start });
  });
});

describe('boundary cases', () => {
  test('are one below, at and above what a rule compares', () => {
    const amounts = new Set(
      valuesAt(casesOf(transfer), 0, 2).map((value) => (typeof value === 'bigint' ? value : 0n)),
    );
    const triples = [...amounts].filter((one) => one > 9n && amounts.has(one + 1n) && amounts.has(one + 2n));
    expect(triples.length).toBeGreaterThan(0);
  });

  test('keep a number that is no key in its range, and lists as long as they were drawn', () => {
    const limits = valuesAt(casesOf(everyEffect), 5, 1).map(Number);
    expect([Math.min(...limits), Math.max(...limits)]).toEqual([1, 60]);
    const lists = casesOf(order).flatMap(({ values }) => values.filter(isListValue));
    expect(lists.length).toBeGreaterThan(5);
    for (const { length, fields } of lists)
      for (const field of fields) expect(field.length).toBeGreaterThanOrEqual(length);
  });
});

describe('drawn cases', () => {
  test('are as many as requested, with a boundary now and then', () => {
    const cases = casesOf(transfer, 400);
    expect(cases).toHaveLength(400);
    expect(valuesAt(cases, 0, 0).filter((source) => Number(source) >= 7).length).toBeGreaterThan(4);
  });

  test('leave faults out', () => {
    const kinds = new Set<string>(casesOf(sums, 400).map(({ expected }) => expected.kind));
    expect([...kinds]).toEqual(['applied']);
  });

  test('of two operations of one shape differ', () => {
    const workload = smallWorkload(sums);
    const [raised, lowered] = workload.operations.map((operation) => drawerOf(workload, operation)());
    expect(raised).not.toEqual(lowered);
  });

  test.each([objects, order].map((each) => [each.name, each] as const))(
    'of %s may be kept',
    (_, description) => {
      const workload = smallWorkload(description);
      for (const operation of workload.operations) {
        const draw = drawerOf(workload, operation);
        const all = Array.from({ length: 9 }, draw);
        const again = drawerOf(workload, operation);
        // Compared one by one, before the next is drawn.
        for (const one of all) expect(one).toEqual(again());
        for (const { length, fields } of all.flat().filter(isListValue)) {
          expect(fields.map((field) => field.length)).toEqual(fields.map(() => length));
        }
      }
    },
  );
});
