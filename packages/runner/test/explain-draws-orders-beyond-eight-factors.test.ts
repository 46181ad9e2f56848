import { describe, expect, test } from 'vitest';
import { attribute, drawOrder, changeOrdersOf } from '@fair-bench/analysis';
import { chooseCombinations } from '../src/explain/budget.ts';
import { splitMix64 } from '@fair-bench/results';

const possible = (): boolean => true;
const fits = (): boolean => true;

describe('ten factors', () => {
  const changeOrders = changeOrdersOf(10, possible);
  const chosen = chooseCombinations(changeOrders, fits, splitMix64(42n), null) ?? new Set<number>();
  const measured = changeOrdersOf(10, (mask) => chosen.has(mask));

  test('are measured by randomly drawn whole orders, not by all combinations', () => {
    expect(changeOrders.masks).toHaveLength(1024);
    expect(chosen.size).toBeLessThanOrEqual(256);
    expect(chosen.size).toBeGreaterThan(128);
    expect([...chosen].toSorted((a, b) => a - b)).toEqual(measured.masks);
    expect([chosen.has(0), chosen.has(1023)]).toEqual([true, true]);
  });

  test('that do not interact are found exactly by any of them', () => {
    const logs = Array.from({ length: 10 }, (_, change) => 0.1 * change - 0.3);
    const logAt = (mask: number): number =>
      logs.reduce((sum, log, change) => sum + ((mask & (2 ** change)) === 0 ? 0 : log), 0);
    const effects = attribute(measured, logAt);
    for (const [change, log] of logs.entries()) expect(effects[change]?.mean).toBeCloseTo(log, 10);
  });

  test('that interact still add up to the whole', () => {
    const logAt = (mask: number): number => Math.sqrt(mask) * 0.1;
    const sum = attribute(measured, logAt).reduce((total, { mean }) => total + mean, 0);
    expect(sum).toBeCloseTo(logAt(1023) - logAt(0), 10);
  });
});

test('up to eight every combination counts', () => {
  const changeOrders = changeOrdersOf(8, possible);
  expect(changeOrders.count).toBe(40_320);
  expect(chooseCombinations(changeOrders, fits, splitMix64(1n), null)?.size).toBe(256);
});

test('a budget of two orders sees the step between the systems after most and after fewest changes', () => {
  // The last change is the system's; the first two must come before it.
  const architecture = 5;
  const changeOrders = changeOrdersOf(6, (mask) => (mask & (2 ** architecture)) === 0 || (mask & 3) === 3);
  for (const seed of [1n, 2n, 3n]) {
    const chosen =
      chooseCombinations(changeOrders, ({ size }) => size <= 13, splitMix64(seed), architecture) ?? new Set();
    const made = [...chosen]
      .filter((mask) => chosen.has(mask + 2 ** architecture) && mask < 2 ** architecture)
      .map((mask) => mask.toString(2).replaceAll('0', '').length);
    expect(Math.min(...made)).toBe(2);
    expect(Math.max(...made)).toBe(5);
  }
});

test('every feasible order is drawn equally often', () => {
  // The second change needs the first: three of the six orders are left.
  const changeOrders = changeOrdersOf(3, (mask) => (mask & 2) === 0 || (mask & 1) !== 0);
  const draw = splitMix64(7n);
  const counts = new Map<string, number>();
  for (let drawn = 0; drawn < 3000; drawn += 1) {
    const order = String(drawOrder(changeOrders, draw));
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect(changeOrders.count).toBe(3);
  expect([...counts.keys()].toSorted()).toEqual(['0,1,3,7', '0,1,5,7', '0,4,5,7']);
  // Three standard deviations of a share of a third.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(78);
});
