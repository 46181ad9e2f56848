import { expect, test } from 'vitest';
import { SumOverTime } from '../../src/replay/sums-in-time.ts';
import { neverUs } from '../../src/replay/log-format.ts';

interface Step {
  readonly amount: number;
  readonly sentUs: number;
  readonly settledUs: number;
}

/** The least and the greatest sum at any microsecond: each step that has ended counts, and each that was sent may. */
function tried(steps: readonly Step[], fromUs: number, untilUs: number): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  // What settles or is sent at the end of an interval may have been before or after.
  for (let atUs = fromUs; atUs <= untilUs; atUs += 1) {
    let [low, high] = [0, 0];
    for (const { amount, sentUs, settledUs } of steps) {
      const isDone = settledUs <= fromUs || settledUs < atUs;
      if (isDone || (sentUs <= atUs && amount < 0)) low += amount;
      if (isDone || (sentUs <= atUs && amount > 0)) high += amount;
    }
    [least, most] = [Math.min(least, low), Math.max(most, high)];
  }
  return [least, most];
}

test('the range of a sum is the one that is found by trying each microsecond', () => {
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  let wide = 0;
  for (let turn = 0; turn < 300; turn += 1) {
    const sum = new SumOverTime();
    const steps = Array.from({ length: 1 + random(12) }, () => {
      const sentUs = random(30);
      const settledUs = random(8) === 0 ? neverUs : sentUs + 1 + random(9);
      return { amount: random(21) - 10, sentUs, settledUs };
    });
    for (const { amount, sentUs, settledUs } of steps) sum.add(BigInt(amount), sentUs, settledUs);
    const fromUs = random(35);
    const untilUs = fromUs + random(6);
    const expected = tried(steps, fromUs, untilUs);
    expect(sum.range(fromUs, untilUs), JSON.stringify({ steps, fromUs, untilUs })).toEqual(expected);
    if (expected[0] < expected[1]) wide += 1;
  }
  expect(wide).toBeGreaterThan(100);
});

test('a sum that a double cannot hold has no range', () => {
  const sum = new SumOverTime();
  sum.add(2n ** 53n - 1n, 1, 2);
  expect(sum.range(0, 3)).toEqual([0, 2 ** 53 - 1]);
  const larger = new SumOverTime();
  larger.add(2n ** 53n - 1n, 1, 2);
  larger.add(2n, 1, 2);
  expect(larger.range(0, 3)).toBeNull();
  const single = new SumOverTime();
  single.add(2n ** 60n, 1, 2);
  expect(single.range(0, 3)).toBeNull();
});
