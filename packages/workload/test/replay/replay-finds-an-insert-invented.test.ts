import { expect, test } from 'vitest';
import { reasonOf, lying, trial, truth, withRows, type Bench, type Target } from './simulation.ts';

test('a row that nobody inserted', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    after: () => bench.store.put(1, [7_000_000n, 1, 'not one of ours']),
  });
  expect(await reasonOf(trial(liar))).toMatch(/1 rows of event that nobody inserted[^]*event \(7000000\)/);
});

test('a row of an insert that was refused', async () => {
  const liar = lying('record', 100, (call, bench) => {
    bench.honest(call);
    return { kind: 'fault', code: 'server-error', inDoubt: false, message: 'no', retries: 0 };
  });
  expect(await reasonOf(trial(liar))).toMatch(/rows of event that nobody inserted/);
});

test('a row that nobody inserted, in a scan', async () => {
  const liar = lying('list', 1, (call, bench) =>
    withRows(bench.honest(call), (rows) =>
      rows.length < Number(call.values[1])
        ? [...rows, ...rows.slice(-1).map((row) => row.with(0, 7_000))]
        : rows,
    ),
  );
  expect(await reasonOf(trial(liar))).toMatch(
    /reads of a row that nobody inserted: item \(7000\), read by operation \d+ of session \d/,
  );
});
