import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transferAccessOf } from '../src/transfer-target.ts';
import { seedsNothing } from '../src/liars/lying-deployments.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

const system = 'sqlite-drizzle';
const nullTarget = 'null-http';
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(system, nullTarget);
});
afterAll(() => bench.close());

const wrongSums = /^void: \d+ sums that no choice/;

describe('a session', () => {
  test.each([
    'skips-the-write',
    'writes-twice',
    'debits-only',
    'swaps-accounts',
    'acknowledges-and-loses',
    'counts-faults',
  ])('that %s voids the trial', async (liar) => {
    const record = await bench.withClient(system, liar, 'told');
    expect(verdictOf(record)).toMatch(wrongSums);
    expect(record.audit?.status).toBe('failed');
  });

  test('that passes every operation on holds in the same setting', async () => {
    expect(verdictOf(await bench.withClient(system, 'skips-the-write', 'none'))).toBe('ok');
  });

  test('that tells faults as faults holds, with a warning beside the number', async () => {
    const record = await bench.withClient(system, 'counts-faults', 'none');
    expect(verdictOf(record)).toBe('ok');
    expect(record.warnings.map(({ code }) => code)).toContain('faults');
  });
});

describe('a session that drops one operation in 10,000', () => {
  const setting = { sessions: 16, depth: 8 };

  test('voids the trial for the accounts of that one operation', async () => {
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

describe('a session that counts declines as applied', () => {
  /** Accounts run dry: some transfers are declined, others applied. */
  const setting = { parameters: { initialBalance: '600', accounts: 20 } };

  test('voids the trial', async () => {
    const record = await bench.withClient(system, 'counts-declines', 'told', setting);
    expect(verdictOf(record)).toMatch(wrongSums);
  });

  test('passes in the same setting without the lie, its declines counted as declines', async () => {
    const record = await bench.withClient(system, 'counts-declines', 'none', setting);
    expect(verdictOf(record)).toBe('ok');
    expect(record).toMatchObject({
      result: { total: { declined: { 'insufficient-funds': expect.any(Number) } } },
    });
  });
});

describe('a table that nobody seeded', () => {
  test('voids a trial whose session counts missing accounts as applied', async () => {
    const setting = { controlPlane: seedsNothing };
    await seedTable(0, 0n);
    const record = await bench.withClient(system, 'counts-declines', 'told', setting);
    expect(verdictOf(record)).toMatch(/1000 rows of account missing/);
  });

  test('voids a trial in which every transfer is declined for it', async () => {
    await seedTable(0, 0n);
    const record = await bench.withoutClient(system, { controlPlane: seedsNothing });
    expect(verdictOf(record)).toMatch(/no operation was applied in the window: \d+ declined/);
  });

  test('voids a trial on what the trial before left there', async () => {
    await seedTable(1_000, 999_999_999n);
    const record = await bench.withoutClient(system, { controlPlane: seedsNothing });
    expect(verdictOf(record)).toMatch(wrongSums);
  });
});

async function seedTable(accounts: number, initialBalance: bigint): Promise<void> {
  const access = transferAccessOf(bench.deployment(system));
  await access?.seed({ accounts, initialBalance }, AbortSignal.timeout(10_000));
}
