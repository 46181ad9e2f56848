import { expect, test } from 'vitest';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import {
  boundaryCases,
  createSeededModel,
  drawnCases,
  parseDescription,
  smallWorkload,
  unreachedRules,
} from '../src/index.ts';
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
