import { everyTest, inTestAll } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workloadNamed } from '../src/workloads.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

const target = 'lmdb-embedded';
/** Few rows, so that one is read again before it is old; and several of the moments that the liar reads, on a busy machine too. */
const stale = { sizes: { rows: 16 }, windowMs: 2_500 };
/** One operation at a time and nothing written: rows are verified in their bytes, and no read is logged. */
const alone = { parameters: { mix: 'c' }, sessions: 1, depth: 1 };
let writing: LiarBench;
let reading: LiarBench;

beforeAll(async () => {
  writing = await LiarBench.on(await workloadNamed('counter'), target);
  // Without waiting for the disk there are many reads.
  reading = await LiarBench.with({ durability: 'async' }, await workloadNamed('ycsb'), target);
});
afterAll(async () => {
  await writing.close();
  await reading.close();
});

test('an engine that acknowledges before its commit voids the trial, though every row is right in the end', async () => {
  const record = await writing.withClient(target, 'acknowledges-before-its-commit', 'told');
  expect(verdictOf(record)).toMatch(/^void: .*were acknowledged were not visible to another connection/);
  expect(record.audit?.status).toBe('passed');
});

// What the replay finds of replies has mutated logs in workload/test/replay.
inTestAll(() => {
  test('an engine whose reads are stale voids the trial by what they returned alone', async () => {
    const record = await reading.withClient(target, 'reads-what-was', 'told', stale);
    expect(verdictOf(record)).toMatch(/^void: /);
  });

  test('an engine that changes a letter of a row that nobody writes voids the trial by the reply alone', async () => {
    const record = await reading.withClient(target, 'reads-a-letter-wrong', 'told', alone);
    expect(verdictOf(record)).toMatch(/^void: .*and was never written/s);
  });
});

test('the same modules pass without the lie', async () => {
  const early = await writing.withClient(target, 'acknowledges-before-its-commit', 'none');
  expect(verdictOf(early)).toBe('ok');
  if (!everyTest) return;
  const fresh = await reading.withClient(target, 'reads-what-was', 'none', stale);
  const right = await reading.withClient(target, 'reads-a-letter-wrong', 'none', alone);
  expect([fresh, right].map(verdictOf)).toEqual(['ok', 'ok']);
});
