import { expect, test } from 'vitest';
import { objects } from '../paper.ts';
import { acknowledged, reasonOf, lying, trial, truth, type Bench, type Target } from './simulation.ts';

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

test('two inserts of one key that were both acknowledged', async () => {
  const liar = lying('correct', 1, (call, bench) => {
    const outcome = bench.honest(call);
    return outcome.kind === 'declined' ? acknowledged : outcome;
  });
  const description = { ...objects, operations: objects.operations.filter(({ name }) => name === 'correct') };
  expect(await reasonOf(trial(liar, { description }))).toMatch(
    /\d+ inserted under a key that another operation inserted/,
  );
});
