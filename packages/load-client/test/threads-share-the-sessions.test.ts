import { expect, test } from 'vitest';
import { type TrialSettings, allOf, runOnDoubles } from './trial-on-doubles.ts';

const settings: TrialSettings = {
  options: { behaviour: 'declines-every-third', delayMs: 3 },
  sessions: 5,
  depth: 1,
};

test.each([1, 2])(
  '%i thread(s): every session has its own stream, from the first operation on',
  async (threads) => {
    const { applied } = await runOnDoubles({ ...settings, threads });

    for (let session = 0; session < 5; session += 1) {
      const own = applied.filter((entry) => entry.startsWith(`${session}/`));
      const expected = own.map((_, index) => `${session}/${index + Math.floor(index / 2)}`);
      expect(own.length).toBeGreaterThan(10);
      expect(own).toEqual(expected);
    }
  },
);

test('two threads add up: counts, histograms, series, peak and log', async () => {
  const { result, applied } = await runOnDoubles({ ...settings, threads: 2 });

  expect(result.timing.windowMs).toBe(500);
  expect(result.outstandingPeak).toBe(5);
  expect(applied).toHaveLength(result.total.applied);
  const inSeries = result.series.map((point) => point.applied + point.declined + point.faults);
  expect(inSeries.reduce((sum, count) => sum + count, 0)).toBe(allOf(result.total));
  expect(result.latency.applied.count).toBeGreaterThanOrEqual(result.window.applied);
  expect(result.latency.applied.count).toBeLessThanOrEqual(result.window.applied + 5);
  const inSystem = (allOf(result.window) / result.timing.windowMs) * result.latencyMsMeanWindow;
  expect(inSystem / 5).toBeGreaterThan(0.9);
  expect(inSystem / 5).toBeLessThan(1.1);
});

test('two threads share the rate of an open loop', async () => {
  const { result } = await runOnDoubles({
    ...settings,
    threads: 2,
    loop: { kind: 'open', ratePerSecond: 300 },
    timing: { windowMs: 1000 },
  });

  // One thread's share alone is 150, and twice the rate is 600.
  expect(allOf(result.window)).toBeGreaterThan(225);
  expect(allOf(result.window)).toBeLessThan(375);
});

test('a target that is dead for all threads ends the trial', async () => {
  const trial = runOnDoubles({
    ...settings,
    options: { behaviour: 'loses-connection' },
    threads: 2,
    timing: { windowMs: 20_000, operationMs: 300 },
  });

  await expect(trial).rejects.toThrow('all 5 sessions failed for 300 ms');
});
