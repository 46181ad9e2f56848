import { expect, test } from 'vitest';
import { reasonOf, lying, trial, withRows } from './simulation.ts';

test('a read that answers with another row', async () => {
  const liar = lying('look', 100, (call, bench) => {
    const other = (Number(call.values[0]) + 1) % 40;
    return withRows(bench.honest(call), () => [
      (bench.store.get(0, [other]) ?? []).map((value) => value ?? 0),
    ]);
  });
  expect(await reasonOf(trial(liar))).toMatch(/look: requested item \(\d+\), got item \(\d+\)/);
});

test('a read that finds no row where one was seeded', async () => {
  const liar = lying('look', 100, (call, bench) => withRows(bench.honest(call), () => []));
  expect(await reasonOf(trial(liar))).toMatch(/look: item \(\d+\) is missing/);
});

test('a value of another row under the right key', async () => {
  const liar = lying('look', 2, (call, bench) => {
    const other = bench.store.get(0, [(Number(call.values[0]) + 1) % 40])?.[1] ?? '';
    return withRows(bench.honest(call), (rows) => rows.map((row) => row.with(1, other)));
  });
  expect(await reasonOf(trial(liar))).toMatch(/with a value that nobody wrote: item.label of row/);
});
