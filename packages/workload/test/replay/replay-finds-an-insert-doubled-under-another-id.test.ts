import { expect, test } from 'vitest';
import { reasonOf, lying, trial } from './simulation.ts';

test('an insert that was executed twice, with another id', async () => {
  const liar = lying('record', 100, (call, bench) => {
    const outcome = bench.honest(call);
    const id = BigInt(call.session) * 2n ** 32n + BigInt(call.sequence);
    const row = bench.store.get(1, [id]) ?? [];
    bench.store.put(1, [id + 1_000_000n, ...row.slice(1)]);
    return outcome;
  });
  expect(await reasonOf(trial(liar))).toMatch(/rows of event that nobody inserted: event \(\d+\)/);
});
