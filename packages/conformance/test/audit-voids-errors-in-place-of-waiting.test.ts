import { inTestAll } from '@fair-bench/contract/test-support';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { failsWhatWaits, waitsAgain } from './liars/lying-deployments.ts';
import { caught, LiarBench, verdictOf } from './support/liar-bench.ts';

const driver = 'postgres-driver';
/** Few rows and many sessions: nearly every operation waits for another. */
const hot = { sizes: { rows: 10 }, sessions: 32, windowMs: 1_500 };
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(driver);
});
afterAll(() => bench.close());
afterEach(async () => {
  await waitsAgain(bench.deployment(driver));
});

describe('a server that fails what would have to wait', () => {
  test('voids the trial by its share of faults, and names the commonest', async () => {
    const record = await bench.withoutClient(driver, { ...hot, controlPlane: failsWhatWaits });
    caught('fails-what-waits', record);
    expect(verdictOf(record)).toMatch(/ended in a fault, more than 1\.0 %; most often \d+ × server-error/);
  });

  inTestAll(() => {
    test('passes with a warning where so many faults are accepted', async () => {
      const record = await bench.withoutClient(driver, {
        ...hot,
        controlPlane: failsWhatWaits,
        faultsShareMax: 1,
      });
      expect(verdictOf(record)).toBe('ok');
      expect(record.warnings.map(({ code }) => code)).toContain('faults');
    });
  });

  test('passes in the same setting where it waits', async () => {
    const record = await bench.withoutClient(driver, hot);
    expect(verdictOf(record)).toBe('ok');
    expect(record.warnings.map(({ code }) => code)).not.toContain('faults');
  });

  inTestAll(() => {
    test('is not said to be rehearsed when most operations of the rehearsal fail', async () => {
      const contended = await bench.contend(driver, failsWhatWaits);
      expect(contended.status).toBe('not-observed');
      expect('reason' in contended ? contended.reason : '').toMatch(
        /of \d+ operations ended in a fault, the last one server-error/,
      );
    });
  });
});
