import { inTestAll } from '@fair-bench/contract/test-support';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedsNothing } from './liars/lying-deployments.ts';
import { workloadNamed } from '../src/workloads.ts';
import { caught, LiarBench, verdictOf } from './support/liar-bench.ts';

const target = 'postgres-driver';
const rows = 1_000;
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.on(await workloadNamed('point-read'), target);
  const client = new Client({ connectionString: bench.deployment(target).endpoint.url });
  await client.connect();
  // A short trial has few calls: one in 20 is sampled.
  await client.query('ALTER DATABASE postgres SET log_transaction_sample_rate = 0.05');
  await client.end();
});
afterAll(() => bench.close());

test('a trial that only reads passes, and the server saw what it is set to', async () => {
  const record = await bench.withoutClient(target);
  expect(verdictOf(record)).toBe('ok');
  expect(record).toMatchObject({
    factsBefore: { statementProtocol: 'prepared' },
    observed: {
      canaries: null,
      protocols: { prepared: expect.any(Number), extended: 0, simple: 0 },
    },
  });
  const { prepared = 0 } = (record.status === 'ok' ? record.observed.protocols : null) ?? {};
  expect(prepared).toBeGreaterThan(0);
});

// What the replay finds of replies and rows has mutated logs in workload/test/replay.
inTestAll(() => {
  test.each([
    ['answers-with-another-row', /value is .*, and was never written/],
    ['answers-without-the-row', /record \(\d+\) is missing/],
  ] as const)('a session that %s voids the trial', async (liar, reason) => {
    expect(verdictOf(await bench.withClient(target, liar, 'told'))).toMatch(reason);
  });

  test('rows as another round had them void the trial', async () => {
    const tables = await bench.seed(target, { rows }, '7');
    const record = await bench.withoutClient(target, {
      controlPlane: (deployment) => seedsNothing(deployment, tables),
    });
    expect(verdictOf(caught('seeds-nothing', record))).toMatch(/and was never written/);
  });
});

test('a session that reads-from-a-cache voids the trial, though every reply was right once', async () => {
  const record = await bench.withClient(target, 'reads-from-a-cache', 'told', { sizes: { rows: 20 } });
  expect(verdictOf(record)).toMatch(/void: .*the database counted \d+ transactions/);
  expect(record.audit?.status).toBe('passed');
});

describe('a session that answers reads from its cache, and reads the database behind its answers', () => {
  const setting = { sizes: { rows: 20 } };

  test('voids the trial for what another connection changed meanwhile, though every count is right', async () => {
    const record = await bench.withClient(target, 'reads-behind-its-cache', 'told', setting);
    expect(await bench.lies(target)).toBeGreaterThan(0);
    expect(verdictOf(record)).toMatch(/^void: \d+ of \d+ reads returned what a row was before another/);
    expect(record.audit?.status).toBe('passed');
  });

  test('passes in the same setting without the lie: every read of a changed row has the change', async () => {
    const record = await bench.withClient(target, 'reads-behind-its-cache', 'none', setting);
    expect(verdictOf(record)).toBe('ok');
    const { judged = 0, fresh } = (record.status === 'ok' ? record.observed.changes : null) ?? {};
    expect(judged).toBeGreaterThan(0);
    expect(fresh).toBe(judged);
  });
});

test('a session that says prepared and sends simple queries voids the trial', async () => {
  const record = await bench.withClient(target, 'sends-simple-queries', 'told');
  expect(verdictOf(record)).toMatch(
    /^void: calls are stated to be prepared; the server's sample has \d+ simple calls$/,
  );
  expect(record.audit?.status).toBe('passed');
});
