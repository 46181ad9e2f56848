import { expect, test } from 'vitest';
import { defineWorkload, insert, int64, key, operation, table, uniform } from '../../src/index.ts';
import { change, reasonOf, lost, lying, trial, type Bench, type Target } from './simulation.ts';

test('the debit without the credit', async () => {
  const liar = lying('take', 50, (call, bench) => {
    const [, to, amount] = call.values;
    const outcome = bench.honest(call);
    const row = bench.store.get(0, [Number(to)]);
    if (outcome.kind === 'applied')
      change(bench, 0, [Number(to)], { 3: BigInt(Number(row?.[3])) - BigInt(Number(amount)) });
    return outcome;
  });
  expect(await reasonOf(trial(liar, rich))).toMatch(/item.stock of row \d+: expected \d+ \(−\d+\)/);
});

test('an operation that was executed twice', async () => {
  const liar = lying('take', 50, (call, bench) => {
    bench.honest(call);
    return bench.honest(call);
  });
  expect(await reasonOf(trial(liar, rich))).toMatch(/item.stock of row \d+: expected \d+ \([−+]\d+\)/);
});

test('an operation in doubt that inserted one of its two rows', async () => {
  const liar = (bench: Bench): Target => ({
    execute(call) {
      if (call.sequence !== 20 || call.session !== 1) return bench.honest(call);
      bench.store.put(1, [BigInt(call.session) * 2n ** 32n + BigInt(call.sequence), 1]);
      return lost;
    },
  });
  expect(await reasonOf(trial(liar, { description: pairs }))).toMatch(
    /in doubt and half applied: operation 20 of session 1: 1 of 2 rows/,
  );
});

const rich = { parameters: { stock: 1_000_000 } };
const pairs = defineWorkload({
  name: 'pairs',
  parameters: {},
  tables: {
    left: table({ rows: 0, key: 'id', columns: { id: int64, place: key } }),
    right: table({ rows: 0, key: 'id', columns: { id: int64, place: key } }),
  },
  operations: {
    pair: {
      arguments: { id: operation(), place: key(uniform(0, 1)) },
      effects: [insert('left', { id: 'id', place: 'place' }), insert('right', { id: 'id', place: 'place' })],
    },
  },
});
