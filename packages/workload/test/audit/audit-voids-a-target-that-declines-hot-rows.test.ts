import { expect, test } from 'vitest';
import { reasonOf, lying, trial } from './simulation.ts';

const rich = { parameters: { stock: 1_000_000 } };

test('a decline that no state of the trial permits', async () => {
  const liar = lying('take', 1, (call, bench) =>
    call.values[0] === 0 ? { kind: 'declined', reason: 'too-few', retries: 0 } : bench.honest(call),
  );
  expect(await reasonOf(trial(liar, rich))).toMatch(
    /declined for a reason that no state of the trial permits: operation \d+ of session \d+ \(take\): too-few/,
  );
});

test('a seeded row that is said to be unknown', async () => {
  const liar = lying('take', 50, () => ({ kind: 'declined', reason: 'unknown', retries: 0 }));
  expect(await reasonOf(trial(liar, rich))).toMatch(
    /permits: operation \d+ of session \d+ \(take\): unknown/,
  );
});
