import { expect, test } from 'vitest';
import { reasonOf, lying, trial, truth, type Bench, type Target } from './simulation.ts';

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
