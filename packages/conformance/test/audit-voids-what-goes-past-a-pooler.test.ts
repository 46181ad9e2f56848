import type { Deployment } from '@fair-bench/contract';
import { inTestAll } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { workloadNamed } from '../src/workloads.ts';
import { type CachingPoolerDouble, startCachingPoolerDouble } from './liars/caching-pooler-double.ts';
import { atUrl, claimsAPooler, countsAsPooled, leadsTo } from './liars/lying-deployments.ts';
import { caught, LiarBench, verdictOf } from './support/liar-bench.ts';

const driver = 'postgres-driver';
// Old versions keep no prepared statements.
const protocol = 'extended';
const pooled = { pooler: 'pgbouncer', poolerPool: 4, protocol } as const;
const lack = await LiarBench.lack(driver, pooled);
const isRead = (request: string): boolean => /fair_bench\.counter\(/.test(request);
let bench: LiarBench;

beforeAll(async () => {
  if (lack !== null) return;
  const counter = await workloadNamed('counter');
  const operations = counter.description.operations.map((operation) =>
    operation.name === 'counter' ? { ...operation, weight: 20_000 } : operation,
  );
  bench = await LiarBench.with(
    pooled,
    { ...counter, description: { ...counter.description, operations } },
    driver,
  );
});
afterAll(async () => {
  if (lack === null) await bench.close();
});
beforeEach(({ skip }) => skip(lack !== null, lack ?? ''));

test('sessions that go through their pooler pass, and the looks see its pool and nobody past it', async () => {
  const record = await bench.withoutClient(driver);
  expect(verdictOf(record)).toBe('ok');
  expect(record).toMatchObject({
    factsAfter: { pooler: { requested: 'pgbouncer', answers: 'pgbouncer', poolSize: 4 }, writersMax: 4 },
    cpuUs: { pooler: expect.any(Number) },
    rssMb: { pooler: expect.any(Number) },
    observed: { pooling: { pooledMost: 4, beside: [] } },
  });
});

describe('a port that leads', () => {
  const through = async (other: Deployment) =>
    await bench.withoutClient(driver, { controlPlane: (deployment) => leadsTo(deployment, other) });

  test('past the pooler to the server voids the trial', async () => {
    const record = caught(
      'leads-past-the-pooler',
      await through(await bench.beside(driver, { pooler: 'none', protocol })),
    );
    expect(verdictOf(record)).toMatch(
      /^void: .*pgbouncer passed 0 transactions on, and \d+ requests were applied/,
    );
  });

  inTestAll(() => {
    test('to another pooler of the same server voids the trial', async () => {
      const other = await bench.beside(driver, pooled);
      expect(verdictOf(caught('leads-to-another-pooler', await through(other)))).toMatch(
        /^void: .*pgbouncer passed 0 transactions on/,
      );
    });
  });
});

describe('a target', () => {
  test('that names another pooler than the one that answers voids the trial', async () => {
    const record = await bench.withoutClient(driver, {
      controlPlane: (deployment) => claimsAPooler(deployment, { requested: 'pgdog' }),
    });
    expect(verdictOf(caught('names-another-pooler', record))).toMatch(
      /^void: .*the target's pooler is pgdog, and pgbouncer/,
    );
  });

  test('whose pooler has a larger pool than it says voids the trial', async () => {
    const record = await bench.withoutClient(driver, {
      controlPlane: (deployment) => claimsAPooler(deployment, { poolSize: 3 }),
    });
    expect(verdictOf(caught('claims-a-smaller-pool', record))).toMatch(
      /^void: .*pgbouncer had 4 connections to the database in one of \d+ looks, and its pool has 3/,
    );
  });
});

inTestAll(() => {
  test('a double of a pooler that answers reads from a cache voids the trial, though every reply is right', async () => {
    const double: CachingPoolerDouble = await startCachingPoolerDouble(
      bench.deployment(driver).endpoint.url,
      isRead,
    );
    try {
      const record = await bench.withoutClient(driver, {
        sizes: { rows: 20 },
        depth: 1,
        controlPlane: (deployment) => countsAsPooled(atUrl(deployment, double.url), double.answered),
      });
      expect(verdictOf(caught('caching-pooler-double', record))).toMatch(
        /^void: .*the database counted \d+ transactions, the load client \d+/,
      );
      expect(record.audit?.status).toBe('passed');
    } finally {
      await double.close();
    }
  });
});
