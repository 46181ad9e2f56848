import order from '@fair-bench/workloads/order';
import transfer from '@fair-bench/workloads/transfer';
import { describe, expect, test } from 'vitest';
import {
  add,
  defineWorkload,
  each,
  equal,
  exists,
  fresh,
  insert,
  int64,
  key,
  less,
  list,
  missing,
  Model,
  operation,
  row,
  set,
  table,
  uniform,
  type WorkloadDescription,
} from '../../src/index.ts';
import { type Bench, lost, outcomeOf, reasonOf, type Target, trial, truth } from './simulation.ts';

const kind = 'applied where a rule declines it in every order of the operations';

/** Applies what one of its rules declines: as where it is checked before locks are taken, or not at all. */
const unchecked =
  (reason: string) =>
  (bench: Bench): Target => {
    const operations = bench.workload.operations.map(({ description, ...one }) => {
      const declines = description.declines.filter((decline) => decline.reason !== reason);
      return { ...one, description: { ...description, declines } };
    });
    const model = new Model({ ...bench.workload, operations }, bench.store);
    return { execute: (call) => outcomeOf(model, call) };
  };

/** Loses the reply of every 200th operation, which was executed every second time. */
function forgetful(bench: Bench): Target {
  let count = 0;
  return {
    execute(call) {
      count += 1;
      if (count % 200 !== 0) return bench.honest(call);
      if (count % 400 === 0) bench.honest(call);
      return lost;
    },
  };
}

const seats = defineWorkload({
  name: 'seats',
  parameters: {},
  tables: {
    seat: table({ rows: 40, key: 'id', columns: { holder: int64(0) } }),
    booking: table({ rows: 0, key: 'id', columns: { id: int64, seat: key } }),
  },
  operations: {
    book: {
      weight: 3,
      arguments: { id: operation(), seat: key('seat', uniform()), guest: int64(uniform(1, 1e9)) },
      rows: { s: row('seat', 'seat') },
      declines: [['held', less(0, 's.holder')]],
      effects: [set('s.holder', 'guest'), insert('booking', { id: 'id', seat: 'seat' })],
    },
    free: {
      weight: 2,
      arguments: { seat: key('seat', uniform()), nobody: int64(0) },
      rows: { s: row('seat', 'seat') },
      declines: [['free', equal('s.holder', 0)]],
      effects: [set('s.holder', 'nobody')],
    },
  },
});

/** Rooms with a limit, of which a visit may name the same twice. */
const rooms = defineWorkload({
  name: 'rooms',
  parameters: {},
  tables: { room: table({ rows: 9, key: 'id', columns: { guests: int64(3) } }) },
  operations: {
    enter: {
      arguments: {
        visits: list(uniform(1, 3), { room: key('room', uniform()), guests: int64(uniform(1, 4)) }),
      },
      rows: { r: row('room', 'visits.room') },
      declines: [['full', less(15, 'r.guests')]],
      effects: [each('visits', add('r.guests', 'visits.guests'))],
    },
    leave: {
      arguments: { room: key('room', uniform()), guests: int64(uniform(1, 4)), left: int64(uniform(2, 6)) },
      rows: { r: row('room', 'room') },
      declines: [['too-few', less('r.guests', 'left')]],
      effects: [add('r.guests', '-guests')],
    },
  },
});

/** The second row can be the first one: then nothing changes, and the first must have enough all the same. */
const swaps = defineWorkload({
  name: 'swaps',
  parameters: {},
  tables: { box: table({ rows: 6, key: 'id', columns: { count: int64(3) } }) },
  operations: {
    swap: {
      arguments: { from: key('box', uniform()), to: key('box', uniform()), count: int64(uniform(5, 9)) },
      rows: { a: row('box', 'from'), b: row('box', 'to') },
      declines: [['too-few', less('a.count', 'count')]],
      effects: [add('a.count', '-count'), add('b.count', 'count')],
    },
  },
});

/** Rules on rows that are inserted meanwhile, on arguments, and on two columns. */
const cards = defineWorkload({
  name: 'cards',
  parameters: {},
  tables: {
    card: table({ rows: 2, key: 'id', columns: { stamps: int64(0), level: int64(5) } }),
    total: table({ rows: 1, key: 'id', columns: { stamps: int64(0), calls: int64(0) } }),
  },
  operations: {
    make: {
      arguments: { id: key('card', fresh()) },
      effects: [insert('card', { id: 'id', stamps: 0, level: 0 })],
    },
    stamp: {
      arguments: { id: key(uniform(0, 199)), amount: int64(uniform(-2, 9)), total: key('total', uniform()) },
      rows: { c: row('card', 'id'), t: row('total', 'total') },
      declines: [
        ['unknown', missing('c')],
        ['nothing', less('amount', 1)],
      ],
      effects: [add('c.stamps', 'amount'), add('t.stamps', 'amount')],
    },
    count: {
      arguments: { id: key(uniform(0, 199)), total: key('total', uniform()) },
      rows: { c: row('card', 'id'), t: row('total', 'total') },
      declines: [['gone', missing('c')]],
      effects: [add('t.calls', 1)],
    },
    skip: {
      arguments: { id: key(uniform(0, 199)), total: key('total', uniform()) },
      rows: { c: row('card', 'id'), t: row('total', 'total') },
      declines: [['known', exists('c')]],
      effects: [add('t.calls', 1)],
    },
    level: {
      arguments: { id: key(uniform(0, 9)), to: int64(uniform(0, 9)) },
      rows: { c: row('card', 'id') },
      declines: [
        ['unknown', missing('c')],
        ['lower', less('to', 'c.level')],
      ],
      effects: [set('c.level', 'to')],
    },
  },
});

/** A row is compared with itself: it always holds. */
const mirrors = defineWorkload({
  name: 'mirrors',
  parameters: {},
  tables: {
    pane: table({ rows: 3, key: 'id', columns: { left: int64(1), right: int64(1), looks: int64(0) } }),
  },
  operations: {
    look: {
      arguments: { id: key('pane', uniform()) },
      rows: { p: row('pane', 'id') },
      declines: [['same', equal('p.left', 'p.right')]],
      effects: [add('p.looks', 1)],
    },
  },
});

type Case = [
  what: string,
  WorkloadDescription,
  Record<string, string | number>,
  reason: string,
  example: RegExp,
];
const sum = (name: string, by: string, reason: string): RegExp =>
  new RegExp(
    `${name} of row \\d+, which ended at -?\\d+: operation \\d+ of session \\d+ \\(${by}, ${reason}\\) ` +
      'needs at (least|most) -?\\d+, and no order gives it (more|less) than -?\\d+',
  );
const poor = { accounts: 50, initialBalance: '1000', alpha: 0 };
const broken: Case[] = [
  [
    'balances below zero',
    transfer,
    poor,
    'insufficient-funds',
    sum('account.balance', 'transfer', 'insufficient-funds'),
  ],
  [
    'a stock sold below zero',
    order,
    { items: 30, stock: '20' },
    'out-of-stock',
    sum('stock.quantity', 'place', 'out-of-stock'),
  ],
  [
    'a seat booked twice',
    seats,
    {},
    'held',
    /seat\.holder of row \d+, .*no order permits operation \d+ of session \d+ \(book, held\)/,
  ],
  ['a seat freed twice', seats, {}, 'free', /seat\.holder of row \d+, .*\(free, free\)/],
  ['a room above its limit', rooms, {}, 'full', sum('room.guests', 'enter', 'full')],
  ['a demand beyond what is taken', rooms, {}, 'too-few', sum('room.guests', 'leave', 'too-few')],
  ['a row that is both rows of an operation', swaps, {}, 'too-few', sum('box.count', 'swap', 'too-few')],
  ['a refused argument', cards, {}, 'nothing', /\(stamp, nothing\), by its arguments/],
  ['a missing row', cards, {}, 'gone', /\(count, gone\), row \d+ of card was not there until after it/],
  ['an existing row', cards, {}, 'known', /\(skip, known\), row \d+ of card was there before it/],
  [
    'a value lower than before',
    cards,
    {},
    'lower',
    /card\.level of row \d+, which ended at \d: .*\(level, lower\)/,
  ],
  [
    'two columns that are always the same',
    mirrors,
    {},
    'same',
    /\(look, same\), in every state of the trial/,
  ],
];

describe.each(broken)('%s', (_, description, parameters, reason, example) => {
  const setting = { description, parameters, sessions: 8, depth: 2, operations: 300 };

  test('voids the trial, for this alone', async () => {
    const found = await reasonOf(trial(unchecked(reason), setting));
    expect(found).toMatch(new RegExp(`^\\d+ ${kind}$`, 'm'));
    expect(found).toMatch(example);
  });

  test('passes where the rules hold, some replies lost', async () => {
    expect(await reasonOf(trial(truth, setting))).toBe('');
    expect(await reasonOf(trial(forgetful, setting))).toBe('');
  });
});
