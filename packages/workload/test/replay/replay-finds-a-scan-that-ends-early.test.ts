import { expect, test } from 'vitest';
import { reasonOf, lying, trial, withRows } from './simulation.ts';

test('before the last seeded row', async () => {
  const liar = lying('list', 20, (call, bench) => withRows(bench.honest(call), (rows) => rows.slice(0, 1)));
  expect(await reasonOf(trial(liar))).toMatch(/list: ends before row \d+ of item/);
});

test('before inserted rows that were acknowledged before', async () => {
  const liar = lying('list', 1, (call, bench) =>
    withRows(bench.honest(call), (rows) => rows.filter(([id]) => Number(id) < 43)),
  );
  expect(await reasonOf(trial(liar))).toMatch(/left out an existing row: item \(4\d\)/);
});

test('beyond the limit', async () => {
  const liar = lying('list', 20, (call, bench) => {
    const limit = Number(call.values[1]);
    const longer = bench.honest({ ...call, values: [0, limit + 1] });
    const longerCall = { ...call, values: [0, limit] };
    return call.values[0] === 0 ? longer : bench.honest(longerCall);
  });
  expect(await reasonOf(trial(liar))).toMatch(
    /list: (item \(\d+\) is out of range|\d+ rows, more than the limit)/,
  );
});
