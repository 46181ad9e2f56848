import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workloadNamed } from '../src/workloads.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

const target = 'postgres-driver';
const sizes = { rows: 200 };
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.on(await workloadNamed('objects'), target);
});
afterAll(() => bench.close());

test.each(
  chosen(
    ['mixed', 'write', 'read', 'read-all', 'read-back'],
    (mix) => mix === 'mixed' || mix === 'read-back',
  ),
)('a trial of objects’ mix %s passes', async (mix) => {
  const record = await bench.withoutClient(target, { sizes, parameters: { mix } });
  expect(verdictOf(record)).toBe('ok');
});

// Of new objects the replay knows which were acknowledged; of older ones the load client sees it at once.
test.each([
  ['leaves-one-of-many-out', 'read-back', /version/],
  ['leaves-one-of-many-out', 'read-all', /all: .*version/],
  ['answers-with-another-row', 'read-back', /version/],
] as const)('a session that %s voids a trial of mix %s', async (liar, mix, reason) => {
  const record = await bench.withClient(target, liar, 'told', { sizes, parameters: { mix } });
  expect(verdictOf(record)).toMatch(reason);
});
