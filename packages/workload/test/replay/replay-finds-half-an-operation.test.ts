import { expect, test } from 'vitest';
import {
  add,
  defineWorkload,
  insert,
  int64,
  key,
  operation,
  row,
  set,
  table,
  text,
  uniform,
} from '../../src/index.ts';
import { change, reasonOf, lost, lying, trial, type Bench, type Target } from './simulation.ts';

test('the debit without the credit', async () => {
  const liar = lying('take', 50, (call, bench) => {
    const [, to, amount] = call.values;
    const outcome = bench.honest(call);
    const found = bench.store.get(0, [Number(to)]);
    if (outcome.kind === 'applied')
      change(bench, 0, [Number(to)], { 3: BigInt(Number(found?.[3])) - BigInt(Number(amount)) });
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

test('an operation in doubt that set a value and added nothing', async () => {
  const liar = (bench: Bench): Target => ({
    execute({ values: [id = 0, label = ''] }) {
      change(bench, 0, [Number(id)], { 1: typeof label === 'string' ? label : '' });
      return lost;
    },
  });
  const one = { description: tags, sessions: 1, operations: 1, inDoubtShareMax: 1 };
  expect(await reasonOf(trial(liar, one))).toMatch(/tag.uses of row \d: expected 0 \(−1\)/);
});

test('an operation in doubt that added and inserted nothing', async () => {
  const liar = (bench: Bench): Target => ({
    execute({ values: [, id = 0] }) {
      change(bench, 0, [Number(id)], { 2: 1n });
      return lost;
    },
  });
  const operations = tags.operations.map((each) => ({ ...each, weight: each.name === 'log' ? 1 : 0 }));
  const one = { description: { ...tags, operations }, sessions: 1, operations: 1, inDoubtShareMax: 1 };
  expect(await reasonOf(trial(liar, one))).toMatch(/tag.uses of row \d: expected 0 \(\+1\)/);
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
const tags = defineWorkload({
  name: 'tags',
  parameters: {},
  tables: {
    tag: table({ rows: 9, key: 'id', columns: { label: text(32), uses: int64(0) } }),
    use: table({ rows: 0, key: 'id', columns: { id: int64, tag: key } }),
  },
  operations: {
    log: {
      weight: 0,
      arguments: { id: operation(), tag: key('tag', uniform()) },
      rows: { t: row('tag', 'tag') },
      effects: [insert('use', { id: 'id', tag: 'tag' }), add('t.uses', 1)],
    },
    use: {
      arguments: { id: key('tag', uniform()), label: text(32) },
      rows: { t: row('tag', 'id') },
      effects: [set('t.label', 'label'), add('t.uses', 1)],
    },
  },
});
