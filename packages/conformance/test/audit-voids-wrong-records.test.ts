import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workloadNamed } from '../src/workloads.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

const target = 'postgres-driver';
/** Few enough that each is written and read again. */
const sizes = { rows: 200 };
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.on(await workloadNamed('ycsb'), target);
});
afterAll(() => bench.close());

test.each(chosen(['a', 'c', 'd', 'e', 'f', 'load'], (mix) => mix === 'e'))(
  'a trial of YCSB’s workload %s passes',
  async (mix) => {
    expect(verdictOf(await bench.withoutClient(target, { sizes, parameters: { mix } }))).toBe('ok');
  },
);

/** The others are mutated logs in workload/test/replay. */
const lies = [
  ['answers-with-an-older-row', 'a', /no order of the operations explains: usertable\.field\d of row/],
  ['answers-with-a-torn-row', 'a', /field\d is torn/],
  ['answers-with-another-row', 'a', /usertable/],
  ['answers-without-the-row', 'a', /usertable \(\d+\) is missing/],
  ['answers-without-the-row', 'e', /scan: ends before row \d+ of usertable/],
  ['writes-twice', 'f', /usertable/],
] as const;

test.each(chosen(lies, (_, place) => place === 0))(
  'a session that %s voids a trial of workload %s',
  async (liar, mix, reason) => {
    const record = await bench.withClient(target, liar, 'told', { sizes, parameters: { mix } });
    expect(verdictOf(record)).toMatch(reason);
  },
);
