import type { Deployment } from '@fair-bench/contract';
import type { TrialRecord } from '@fair-bench/results';
import { chosen, inTestAll } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetsAnUpsert } from './liars/forgets-an-upsert.ts';
import { replacesFunctions, seedsNothing } from './liars/lying-deployments.ts';
import { workloadNamed } from '../src/workloads.ts';
import { caught, LiarBench, verdictOf } from './support/liar-bench.ts';

const system = 'sqlite-drizzle';
const driver = 'postgres-driver';
const nullTarget = 'null-http';
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(system, nullTarget);
});
afterAll(() => bench.close());

const wrongSums = /^void: \d+ sums that no choice/;

describe('a session', () => {
  const liars = [
    'skips-the-write',
    'writes-twice',
    'swaps-arguments',
    'writes-another-row',
    'acknowledges-and-loses',
    'counts-faults',
  ] as const;
  // The replay sees the rows of all of them in one way; its tests have the others as changed rows.
  test.each(chosen(liars, (_, place) => place === 0))('that %s voids the trial', async (liar) => {
    const record = await bench.withClient(system, liar, 'told');
    expect(verdictOf(record)).toMatch(wrongSums);
    expect(record.audit?.status).toBe('failed');
  });

  test('that forwards every operation passes in the same setting', async () => {
    expect(verdictOf(await bench.withClient(system, 'skips-the-write', 'none'))).toBe('ok');
  });

  inTestAll(() => {
    test('that counts faults as faults passes, with a warning', async () => {
      const record = await bench.withClient(system, 'counts-faults', 'none', { faultsShareMax: 1 });
      expect(verdictOf(record)).toBe('ok');
      expect(record.warnings.map(({ code }) => code)).toContain('faults');
    });
  });
});

describe('a session that drops one operation in 10,000', () => {
  const setting = { sessions: 16, depth: 8 };

  test('voids the trial for the rows of that one operation', async () => {
    const record = await bench.withClient(nullTarget, 'drops-one-in-ten-thousand', 'told', setting);
    expect(verdictOf(record)).toMatch(wrongSums);
    const { mismatches = 0 } = record.audit ?? {};
    expect(mismatches).toBeGreaterThan(0);
    // One operation or a few: nothing else was wrong.
    expect(mismatches).toBeLessThan(20);
  });

  test('passes in the same setting without the lie', async () => {
    const record = await bench.withClient(nullTarget, 'drops-one-in-ten-thousand', 'none', setting);
    expect(verdictOf(record)).toBe('ok');
  });
});

inTestAll(() => {
  describe('a session that counts declines as applied', () => {
    /** The amounts run out, so some operations are declined and others applied. */
    const setting = { sizes: { rows: 20, amounts: 600n } };

    test('voids the trial', async () => {
      const record = await bench.withClient(system, 'counts-declines', 'told', setting);
      expect(verdictOf(record)).toMatch(wrongSums);
    });

    test('passes in the same setting without the lie, with its declines counted as declines', async () => {
      const record = await bench.withClient(system, 'counts-declines', 'none', setting);
      expect(verdictOf(record)).toBe('ok');
      expect(declinesOf(record)).toBeGreaterThan(0);
    });
  });
});

inTestAll(() => {
  describe('a target that declines hot rows', () => {
    /** Few rows, so that all of them are hot; their amounts never run out. */
    const setting = { sizes: { rows: 20 } };

    test('voids the trial: no state of it permits the declines', async () => {
      const record = await bench.withClient(system, 'declines-hot-rows', 'told', setting);
      expect(verdictOf(record)).toMatch(
        /^void: \d+ declined for a reason that no state of the trial permits/,
      );
    });

    test('passes in the same setting without the lie', async () => {
      const record = await bench.withClient(system, 'declines-hot-rows', 'none', setting);
      expect(verdictOf(record)).toBe('ok');
      expect(declinesOf(record)).toBe(0);
    });
  });
});

describe('a target that declines what others wait for', () => {
  /** Hot rows run out now and then, so that the bounds of the whole trial permit any decline of theirs. */
  const setting = {
    sizes: { rows: 50 },
    parameters: { alpha: 1.2, initialBalance: '6000', amountMax: 600 },
    windowMs: 1_000,
  };

  test('voids the trial: the balance at the time of the declines permits none', async () => {
    const record = await bench.withClient(system, 'declines-what-is-contended', 'told', setting);
    expect(await bench.lies(system)).toBeGreaterThan(20);
    expect(verdictOf(record)).toMatch(/^void: \d+ declined for a reason that no state of the trial permits/);
  });

  test('passes in the same setting without the lie, with its declines judged by their times', async () => {
    const record = await bench.withClient(system, 'declines-what-is-contended', 'none', setting);
    expect(verdictOf(record)).toBe('ok');
    const { certain = 0, possible = 0 } = record.audit?.declines ?? {};
    expect(declinesOf(record)).toBeGreaterThan(0);
    expect(certain + possible).toBeGreaterThanOrEqual(declinesOf(record));
  });
});

inTestAll(() => {
  describe('tables that nobody seeded', () => {
    test('void a trial whose session counts missing rows as applied', async () => {
      const tables = await bench.empty(system);
      const setting = { controlPlane: (deployment: Deployment) => seedsNothing(deployment, tables) };
      const record = await bench.withClient(system, 'counts-declines', 'told', setting);
      expect(verdictOf(record)).toMatch(/1000 rows of \w+ missing/);
    });

    test('void a trial in which every operation is declined for it', async () => {
      const tables = await bench.empty(system);
      const record = await bench.withoutClient(system, {
        controlPlane: (deployment) => seedsNothing(deployment, tables),
      });
      caught('seeds-nothing-and-declines', record);
      expect(verdictOf(record)).toMatch(/no operation was applied in the window: \d+ declined/);
    });

    test('void a trial on rows that the previous trial left', async () => {
      const tables = await bench.seed(system, { rows: 1_000, amounts: 999_999_999n });
      const record = await bench.withoutClient(system, {
        controlPlane: (deployment) => seedsNothing(deployment, tables),
      });
      expect(verdictOf(caught('seeds-nothing', record))).toMatch(wrongSums);
    });
  });
});

inTestAll(() => {
  describe('a session that answers reads from a cache', () => {
    let reading: LiarBench;
    beforeAll(async () => {
      const counter = await workloadNamed('counter');
      const operations = counter.description.operations.map((operation) =>
        operation.name === 'counter' ? { ...operation, weight: 20_000 } : operation,
      );
      reading = await LiarBench.on(
        { ...counter, description: { ...counter.description, operations } },
        driver,
      );
    });
    afterAll(() => reading.close());
    const setting = { sizes: { rows: 20 } };

    test('voids the trial, though every reply is right', async () => {
      const record = await reading.withClient(driver, 'reads-from-a-cache', 'told', setting);
      expect(verdictOf(record)).toMatch(/^void: the database counted \d+ transactions, the load client \d+/);
      expect(record.audit?.status).toBe('passed');
    });

    test('and commits as often voids the trial for the scans that are missing', async () => {
      const record = await reading.withClient(driver, 'reads-from-a-cache-and-commits', 'told', setting);
      expect(verdictOf(record)).toMatch(
        /^void: the database counted \d+ scans of its tables, the load client \d+/,
      );
      expect(record.audit?.status).toBe('passed');
    });

    test('passes in the same setting without the lie', async () => {
      expect(verdictOf(await reading.withClient(driver, 'reads-from-a-cache', 'none', setting))).toBe('ok');
    });
  });
});

inTestAll(() => {
  describe('an upsert that forgets what it adds', () => {
    // Most lines are there after a while.
    const setting = { sizes: { rows: 20 } };
    let carts: LiarBench;
    beforeAll(async () => {
      carts = await LiarBench.on(await workloadNamed('cart'), driver);
    });
    afterAll(() => carts.close());

    test('voids the trial, for this alone', async () => {
      const record = await carts.withoutClient(driver, {
        ...setting,
        controlPlane: (deployment) => replacesFunctions(deployment, forgetsAnUpsert),
      });
      expect(verdictOf(caught('forgets-an-upsert', record))).toMatch(
        /^void: \d+ sums that no choice of the operations in doubt explains \(.*item\.quantity of /,
      );
    });

    test('passes in the same setting without the lie', async () => {
      expect(verdictOf(await carts.withoutClient(driver, setting))).toBe('ok');
    });
  });
});

function declinesOf(record: TrialRecord): number {
  const declined = record.status === 'ok' ? record.result.total.declined : {};
  return Object.values(declined).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
