import { expect, test } from 'vitest';
import { objects } from '../paper.ts';
import { change, reasonOf, lying, trial, truth, type Bench, type Target } from './simulation.ts';

test('an inserted row with another value', async () => {
  const liar = lying('record', 100, (call, bench) => {
    const outcome = bench.honest(call);
    change(bench, 1, [BigInt(call.session) * 2n ** 32n + BigInt(call.sequence)], { 1: 39 });
    return outcome;
  });
  expect(await reasonOf(trial(liar))).toMatch(
    /inserted with other values: event \(\d+\), inserted by operation/,
  );
});

test('a column that no operation writes', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    after: () => change(bench, 0, [7], { 2: 10n }),
  });
  expect(await reasonOf(trial(liar))).toMatch(/item \(7\): origin is 10, and was never written/);
});

test('a column that another operation leaves to the server', async () => {
  const liar = lying('write', 50, (call, bench) => {
    const outcome = bench.honest(call);
    const validFrom = BigInt(call.session) * 2n ** 32n + BigInt(call.sequence);
    change(bench, 0, [Number(call.values[0]), validFrom], { 2: 7n });
    return outcome;
  });
  const description = { ...objects, operations: objects.operations.filter(({ name }) => name !== 'as_of') };
  expect(await reasonOf(trial(truth, { description }))).toBe('');
  expect(await reasonOf(trial(liar, { description }))).toMatch(
    /inserted with other values: version \(\d+, \d+\), inserted by operation/,
  );
});
