import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

const driver = 'postgres-driver';
const sqlite = 'sqlite-drizzle';
/** Batches of one session do not deadlock. */
const setting = { sessions: 1, depth: 2, batch: 16, windowMs: 600 };
const systems = chosen([driver, sqlite], (_, place) => place === 0);
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(driver, sqlite);
});
afterAll(() => bench.close());

test.each(systems)(
  'batches of %s that are acknowledged before their commit void the trial',
  async (system) => {
    const record = await bench.withClient(system, 'acknowledges-batches-early', 'told', setting);
    expect(verdictOf(record)).toMatch(/^void: .*were acknowledged were not visible to another connection/);
  },
);

test('batches whose operations are committed one by one void the trial, though every row is right', async () => {
  const record = await bench.withClient(driver, 'splits-batches', 'told', setting);
  expect(verdictOf(record)).toMatch(
    /^void: .*the database counted \d+ commits for \d+ batches of 16 operations/,
  );
  expect(record.audit?.status).toBe('passed');
});

test.each(systems)('batches of %s pass in the same setting without a lie', async (system) => {
  const record = await bench.withClient(system, 'splits-batches', 'none', setting);
  expect(verdictOf(record)).toBe('ok');
  expect(record.status === 'ok' ? record.result.outstandingPeak : 0).toBe(2 * 16);
});
