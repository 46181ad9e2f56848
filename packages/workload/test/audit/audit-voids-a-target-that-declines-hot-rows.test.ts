import { expect, test } from 'vitest';
import {
  defineWorkload,
  fresh,
  insert,
  int64,
  key,
  less,
  missing,
  row,
  set,
  table,
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
