import { expect, test } from 'vitest';
import {
  defineWorkload,
  fresh,
  insert,
  int64,
  key,
  latest,
  row,
  set,
  table,
  text,
  uniform,
} from '../../src/index.ts';
import {
  acknowledged,
  change,
  everyEffect,
  lost,
  reasonOf,
  lying,
  trial,
  truth,
  type Bench,
  type Target,
} from './simulation.ts';

test('writes that were acknowledged and lost', async () => {
  // No reads: only the final rows show it.
  const liar = lying('rename', 25, () => acknowledged);
  const description = {
    ...everyEffect,
    operations: everyEffect.operations.filter(({ returns }) => returns.kind === 'nothing'),
  };
  expect(await reasonOf(trial(liar, { description }))).toMatch(
    /in an order that no order of the operations explains: item.label of row/,
  );
});

test('a value that no operation set', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    after: () => change(bench, 0, [39], { 1: bench.store.get(0, [38])?.[1] ?? '' }),
  });
  expect(await reasonOf(trial(liar))).toMatch(/item.label of row 39/);
});

/** Two values that many operations set, and a table that none of them writes. */
const marks = defineWorkload({
  name: 'marks',
  parameters: {},
  tables: {
    mark: table({ rows: 20, key: 'id', columns: { level: int64(0), owner: key } }),
    owner: table({ rows: 3, key: 'id', columns: { age: int64(30) } }),
  },
  operations: {
    mark: {
      arguments: { id: key('mark', uniform()), level: int64(uniform(0, 1)), owner: key('owner', uniform()) },
      rows: { m: row('mark', 'id') },
      effects: [set('m.level', 'level'), set('m.owner', 'owner')],
    },
  },
});

test('values that are not unique, of which none was written', async () => {
  const setting = { description: marks, depth: 1 };
  expect(await reasonOf(trial(truth, setting))).toBe('');
  expect(await reasonOf(trial(() => ({ execute: () => acknowledged }), setting))).toMatch(
    /in an order that no order of the operations explains: mark.level of row/,
  );
});

test('values that are not unique, with later ones in doubt that never happened', async () => {
  const target = (bench: Bench): Target => ({
    execute: (call) => (call.sequence > 280 ? lost : bench.honest(call)),
  });
  expect(await reasonOf(trial(target, { description: marks, depth: 1, inDoubtShareMax: 1 }))).toBe('');
});

/** Rows that are inserted and set, and never read. */
const drafts = defineWorkload({
  name: 'drafts',
  parameters: {},
  tables: { draft: table({ rows: 1, key: 'id', columns: { label: text(32) } }) },
  operations: {
    make: {
      arguments: { id: key('draft', fresh()), label: text(32) },
      effects: [insert('draft', { id: 'id', label: 'label' })],
    },
    rename: {
      arguments: { id: key('draft', latest()), label: text(32) },
      rows: { d: row('draft', 'id') },
      effects: [set('d.label', 'label')],
    },
  },
});

test('writes to inserted rows that were acknowledged and lost', async () => {
  // At this depth some are set before they are inserted, which has no effect.
  const setting = { description: drafts, depth: 8 };
  expect(await reasonOf(trial(truth, setting))).toBe('');
  expect(
    await reasonOf(
      trial(
        lying('rename', 1, () => acknowledged),
        setting,
      ),
    ),
  ).toMatch(/in an order that no order of the operations explains: draft.label of the row inserted by/);
});

test('a key beyond 32 bits', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    after: () => change(bench, 0, [4], { 2: Number(bench.store.get(0, [4])?.[2]) + 2 ** 32 }),
  });
  expect(await reasonOf(trial(liar, { description: marks }))).toMatch(
    /mark \(4\): owner is not of type key: 42949672/,
  );
});

test('a row of a table that no operation writes', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    after: () => change(bench, 1, [2], { 1: 31n }),
  });
  expect(await reasonOf(trial(liar, { description: marks, unwritten: new Set([1]) }))).toMatch(
    /owner \(2\): age is 31, and was never written/,
  );
});
