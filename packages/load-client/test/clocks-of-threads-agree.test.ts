import { expect, test } from 'vitest';
import { aheadMs, sharedNowMs, toSharedMs } from '../src/clock.ts';

/** Two clocks of one thread, 1,000 ms apart, which loses its processor for 7 ms after every reading but a few. */
function clocksOf(undisturbed: (reading: number) => boolean) {
  let nowMs = 0;
  let readings = 0;
  const read = (offsetMs: number): number => {
    const seen = nowMs + offsetMs;
    nowMs += undisturbed(readings) ? 0.001 : 7;
    readings += 1;
    return seen;
  };
  return { thread: () => read(0), shared: () => read(1000) };
}

test('a thread that loses its processor while it compares its clocks is off by no more than its quickest reading', () => {
  const { thread, shared } = clocksOf((reading) => reading >= 60 && reading < 64);
  expect(Math.abs(aheadMs(thread, shared) - 1000)).toBeLessThan(0.01);
});

test('where every reading is disturbed, the error is at most half of the time of one', () => {
  const { thread, shared } = clocksOf(() => false);
  expect(Math.abs(aheadMs(thread, shared) - 1000)).toBeLessThanOrEqual(7);
});

test('a time of this thread on the shared clock lies between two readings of it', () => {
  const errors = Array.from({ length: 50 }, () => {
    const before = sharedNowMs();
    const between = toSharedMs(performance.now());
    const after = sharedNowMs();
    return Math.max(before - between, between - after);
  });
  expect(Math.min(...errors)).toBeLessThan(0.02);
});
