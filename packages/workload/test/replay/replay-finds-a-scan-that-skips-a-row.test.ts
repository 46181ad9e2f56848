import { expect, test } from 'vitest';
import { everyEffect, reasonOf, lying, trial, withRows } from './simulation.ts';

test('a seeded row in the middle of a scan', async () => {
  const liar = lying('list', 20, (call, bench) =>
    withRows(bench.honest(call), (rows) => rows.toSpliced(1, 1)),
  );
  expect(await reasonOf(trial(liar))).toMatch(/list: (row \d+ of item is left out|ends before row)/);
});

test('a seeded row, although the limit is reached', async () => {
  const liar = lying('list', 1, (call, bench) => {
    const [from = 0, limit = 0] = call.values;
    const longer = bench.honest({ ...call, values: [from, Number(limit) + 1] });
    return withRows(longer, (rows) => (rows.length > Number(limit) ? rows.toSpliced(1, 1) : rows));
  });
  expect(await reasonOf(trial(liar))).toMatch(/list: row \d+ of item is left out/);
});

test('an inserted row that was acknowledged before', async () => {
  const liar = lying('list', 1, (call, bench) =>
    withRows(bench.honest(call), (rows) => rows.filter(([id]) => id !== 40)),
  );
  expect(await reasonOf(trial(liar))).toMatch(/left out an existing row: item \(40\), inserted by operation/);
  // Of scans that assert their content alone, it may.
  const operations = everyEffect.operations.map((each) => ({ ...each, asserts: 'content' as const }));
  expect(await reasonOf(trial(liar, { description: { ...everyEffect, operations } }))).toBe('');
});

test('rows out of order', async () => {
  const liar = lying('list', 1, (call, bench) =>
    withRows(bench.honest(call), (rows) => [
      ...rows.filter(([id]) => Number(id) < 40),
      ...rows.filter(([id]) => Number(id) >= 40).toReversed(),
    ]),
  );
  expect(await reasonOf(trial(liar))).toMatch(/list: item \(\d+\) is out of order/);
});
