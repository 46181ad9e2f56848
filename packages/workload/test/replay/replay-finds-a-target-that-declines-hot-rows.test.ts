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
import { type Call, examplesOf, reasonOf, lying, trial, truth } from './simulation.ts';

const rich = { parameters: { stock: 1_000_000 } };

test('a decline that no state of the trial permits', async () => {
  const liar = lying('take', 1, (call, bench) =>
    call.values[0] === 0 ? { kind: 'declined', reason: 'too-few', retries: 0 } : bench.honest(call),
  );
  expect(await reasonOf(trial(liar, rich))).toMatch(
    /declined for a reason that no state of the trial permits: operation \d+ of session \d+ \(take\): too-few/,
  );
});

/** Each of few purses is empty at some time of the trial: only the time of a decline tells. */
const purses = defineWorkload({
  name: 'purses',
  parameters: {},
  tables: { purse: table({ rows: 6, key: 'id', columns: { coins: int64(500) } }) },
  operations: {
    pay: {
      arguments: {
        from: key('purse', uniform()),
        to: key('purse', uniform(), { not: 'from' }),
        amount: int64(uniform(1, 500)),
      },
      rows: { payer: row('purse', 'from'), payee: row('purse', 'to') },
      declines: [['too-few', less('payer.coins', 'amount')]],
      effects: [add('payer.coins', '-amount'), add('payee.coins', 'amount')],
    },
  },
});
const paying = { description: purses, sessions: 2, depth: 2, operations: 2000 };
const alone = { ...paying, sessions: 1, depth: 1 };

test('a decline of a row that has enough at that time, and had not at others', async () => {
  const honest = await trial(truth, paying);
  expect(honest.status).toBe('passed');
  expect(honest.declines?.certain).toBeGreaterThan(100);
  let lies = 0;
  const liar = lying('pay', 1, (call, bench) => {
    const [from, , amount] = call.values;
    const coins = typeof from === 'number' ? Number(bench.store.get(0, [from])?.[1] ?? 0) : 0;
    // The others in flight take 3 × 500 at most, and it has enough without them.
    if (coins < 3 * 500 + Number(amount)) return bench.honest(call);
    lies += 1;
    return { kind: 'declined', reason: 'too-few', retries: 0 };
  });
  const finding = await trial(liar, paying);
  expect(lies).toBeGreaterThan(5);
  const refused = /^(\d+) declined for a reason that no state of the trial permits\n/.exec(
    examplesOf(finding),
  );
  // What was refused may have been in flight before some of the others were.
  expect(Number(refused?.[1])).toBeGreaterThanOrEqual(lies / 2);
  expect(Number(refused?.[1])).toBeLessThanOrEqual(lies);
});

test('without anything else in flight each decline is certain', async () => {
  const { declines } = await trial(truth, alone);
  expect(declines?.certain).toBeGreaterThan(100);
  expect(declines?.possible).toBe(0);
});

test('without room for the times each decline is judged by the bounds of the whole trial', async () => {
  const { declines } = await trial(truth, { ...alone, limitBytes: 20_000 });
  expect(declines?.possible).toBeGreaterThan(10);
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
