import { expect, test } from 'vitest';
import {
  acknowledged,
  change,
  everyEffect,
  reasonOf,
  lying,
  trial,
  truth,
  type Bench,
  type Target,
} from './simulation.ts';

test('writes that were acknowledged and lost', async () => {
  // No reads: the rows that are left show it alone.
  const liar = lying('rename', 25, () => acknowledged);
  const description = {
    ...everyEffect,
    operations: everyEffect.operations.filter(({ returns }) => returns.kind === 'nothing'),
  };
  expect(await reasonOf(trial(liar, { description }))).toMatch(
    /in an order that no order of the operations explains: item.label of row/,
  );
});

test('a value that no operation set', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    after: () => change(bench, 0, [39], { 1: bench.store.get(0, [38])?.[1] ?? '' }),
  });
  expect(await reasonOf(trial(liar))).toMatch(/item.label of row 39/);
});
