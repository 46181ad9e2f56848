import { expect, test } from 'vitest';
import { reasonOf, trial, truth, type Bench, type Target } from './simulation.ts';

test('a row that exists twice', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    rows: (table, rows) => (table === 1 ? [...rows, ...rows.slice(5, 6)] : rows),
  });
  expect(await reasonOf(trial(liar))).toMatch(/there more than once: event \(\d+\)/);
});

test('a seeded row that exists twice', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    rows: (table, rows) => (table === 0 ? [...rows, ...rows.slice(5, 6)] : rows),
  });
  expect(await reasonOf(trial(liar))).toMatch(/rows of item more than once: item \(5\)/);
});
