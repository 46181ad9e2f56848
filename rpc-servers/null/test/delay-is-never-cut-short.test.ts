import { expect, test } from 'vitest';
import { PreciseDelay } from '../src/precise-delay.ts';

test('nobody is released before the delay is over', async () => {
  const delayMs = 5;
  const delay = new PreciseDelay(delayMs);
  const waits = Array.from({ length: 2_000 }, async (_value, index) => {
    await new Promise((resolve) => setTimeout(resolve, Math.floor(index / 100)));
    const startedMs = performance.now();
    await delay.wait();
    return performance.now() - startedMs;
  });
  const waitedMs = await Promise.all(waits);
  expect(Math.min(...waitedMs)).toBeGreaterThanOrEqual(delayMs);
});

test('closing releases whoever waits', async () => {
  const delay = new PreciseDelay(60_000);
  const waits = [delay.wait(), delay.wait()];
  delay.close();
  await expect(Promise.all(waits)).resolves.toHaveLength(2);
});
