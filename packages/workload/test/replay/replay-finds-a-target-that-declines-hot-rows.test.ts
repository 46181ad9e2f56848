import { expect, test } from 'vitest';
import {
  add,
  defineWorkload,
  equal,
  fresh,
  insert,
  int64,
  key,
  less,
  missing,
  row,
  set,
  table,
  text,
  uniform,
} from '../../src/index.ts';
import { type Call, reasonOf, lying, trial, truth } from './simulation.ts';

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

/** Marks are inserted, and set while they are above a floor: always. */
const marks = defineWorkload({
  name: 'marks',
  parameters: {},
  tables: { mark: table({ rows: 5, key: 'id', columns: { level: int64(3) } }) },
  operations: {
    make: {
      arguments: { id: key('mark', fresh()), level: int64(uniform(0, 9)) },
      effects: [insert('mark', { id: 'id', level: 'level' })],
    },
    raise: {
      weight: 4,
      arguments: { id: key(uniform(0, 99)), level: int64(uniform(0, 9)), floor: int64(uniform(-9, -1)) },
      rows: { m: row('mark', 'id') },
      declines: [
        ['unknown', missing('m')],
        ['too-low', less('m.level', 'floor')],
      ],
      effects: [set('m.level', 'level')],
    },
  },
});
const declining = (reason: string, isLie: (call: Call) => boolean) =>
  lying('raise', 1, (call, bench) =>
    isLie(call) ? { kind: 'declined', reason, retries: 0 } : bench.honest(call),
  );

test('a row whose insert was acknowledged before is said to be unknown', async () => {
  expect(await reasonOf(trial(truth, { description: marks }))).toBe('');
  const liar = declining('unknown', ({ values }) => Number(values[0]) > 4);
  expect(await reasonOf(trial(liar, { description: marks }))).toMatch(/\(raise\): unknown/);
});

test('a value that was set is said to be below all that it was set to', async () => {
  const liar = declining('too-low', ({ values }) => values[0] === 4);
  expect(await reasonOf(trial(liar, { description: marks }))).toMatch(/\(raise\): too-low/);
});

/** Like marks, but nothing is set: rules alone need the times. */
const stamps = defineWorkload({
  name: 'stamps',
  parameters: {},
  tables: { card: table({ rows: 1, key: 'id', columns: { stamps: int64(0) } }) },
  operations: {
    make: { arguments: { id: key('card', fresh()) }, effects: [insert('card', { id: 'id', stamps: 7 })] },
    stamp: {
      arguments: { id: key(uniform(0, 99)) },
      rows: { c: row('card', 'id') },
      declines: [['unknown', missing('c')]],
      effects: [add('c.stamps', 1)],
    },
  },
});

test('a row that is only inserted and added to is said to be unknown long after its insert', async () => {
  expect(await reasonOf(trial(truth, { description: stamps }))).toBe('');
  const liar = lying('stamp', 1, (call, bench) =>
    call.sequence > 150 && [1, 2, 3, 4, 5, 6, 7, 8].includes(Number(call.values[0]))
      ? { kind: 'declined', reason: 'unknown', retries: 0 }
      : bench.honest(call),
  );
  expect(await reasonOf(trial(liar, { description: stamps }))).toMatch(/\(stamp\): unknown/);
});

/** Every operation is declined, as `always`: an earlier rule never applies, and a later one may. */
const gates = (always: ReturnType<typeof less>) =>
  defineWorkload({
    name: 'gates',
    parameters: {},
    tables: { card: table({ rows: 9, key: 'id', columns: { stamps: int64(3) } }) },
    operations: {
      pass: {
        arguments: {
          id: key('card', uniform()),
          amount: int64(uniform(-1, -1)),
          floor: int64(uniform(4, 9)),
          first: text(8),
          second: text(8),
        },
        rows: { c: row('card', 'id') },
        declines: [
          ['same', equal('first', 'second')],
          ['always', always],
          ['low', less('c.stamps', 'floor')],
        ],
        effects: [add('c.stamps', 'amount')],
      },
    },
  });

test.each([
  ['same', less('amount', 0)],
  ['low', less('amount', 0)],
  ['low', equal('amount', -1)],
])('a decline as %s where another rule applies', async (reason, always) => {
  const description = gates(always);
  expect(await reasonOf(trial(truth, { description }))).toBe('');
  const liar = lying('pass', 1, () => ({ kind: 'declined', reason, retries: 0 }));
  expect(await reasonOf(trial(liar, { description }))).toMatch(new RegExp(`\\(pass\\): ${reason}`));
});

/** What a text was at any moment is not known: a decline that compares it may be right. */
const tags = defineWorkload({
  name: 'tags',
  parameters: {},
  tables: { tag: table({ rows: 3, key: 'id', columns: { left: text(32), right: text(32) } }) },
  operations: {
    unite: {
      arguments: { id: key('tag', uniform()), label: text(32) },
      rows: { t: row('tag', 'id') },
      declines: [['same', equal('t.left', 't.right')]],
      effects: [set('t.left', 'label'), set('t.right', 'label')],
    },
    part: {
      arguments: { id: key('tag', uniform()), label: text(32) },
      rows: { t: row('tag', 'id') },
      effects: [set('t.left', 'label')],
    },
  },
});

test('a decline that compares texts which are set is not refuted', async () => {
  expect(await reasonOf(trial(truth, { description: tags }))).toBe('');
});
