import { describe, expect, test } from 'vitest';
import { type Scalability, fitScalability, scalabilityOf, throughputAt } from '../src/sweeps/scalability.ts';
import { seededNormal } from '@fair-bench/results/test-support';

const cores = [1, 2, 4, 8, 16];

describe.each<[string, Scalability]>([
  ['linear', { gamma: 1000, alpha: 0, beta: 0 }],
  ['with contention', { gamma: 1000, alpha: 0.08, beta: 0 }],
  ['with contention and coherency', { gamma: 5000, alpha: 0.03, beta: 0.002 }],
])('a system that scales %s', (_what, truth) => {
  const exactly = cores.map((x) => ({ x, tps: throughputAt(truth, x) }));

  test('is recovered without noise', () => {
    const fit = fitScalability(exactly);
    expect(fit.gamma).toBeCloseTo(truth.gamma, 5);
    expect(fit.alpha).toBeCloseTo(truth.alpha, 8);
    expect(fit.beta).toBeCloseTo(truth.beta, 8);
  });

  test('is recovered in noise of 3 %, never with a negative parameter, and its extrapolation has the truth in its interval', () => {
    const noise = seededNormal(7);
    const points = exactly.map(({ x, tps }) => ({
      x,
      cellId: `c${x}`,
      tps: Array.from({ length: 30 }, () => tps * Math.exp(0.03 * noise())),
    }));
    const fit = scalabilityOf(points);
    expect(fit?.gamma.mean).toBeGreaterThan(0.97 * truth.gamma);
    expect(fit?.gamma.mean).toBeLessThan(1.03 * truth.gamma);
    for (const parameter of ['alpha', 'beta'] as const) {
      expect(fit?.[parameter].mean).toBeGreaterThanOrEqual(0);
      expect(Math.abs((fit?.[parameter].mean ?? 1) - truth[parameter])).toBeLessThan(0.02);
    }
    const next = fit?.extrapolated[0];
    expect(next?.x).toBe(32);
    const [low, high] = next?.tps.ci95 ?? [0, 0];
    expect(low).toBeLessThan(1.005 * throughputAt(truth, 32));
    // A parameter that cannot be negative may pull a linear system slightly below the truth.
    expect(high).toBeGreaterThan(0.97 * throughputAt(truth, 32));
  });
});

test('the interval of an extrapolation has the truth in about 95 of 100 runs', () => {
  const truth = { gamma: 5000, alpha: 0.1, beta: 0.004 };
  const noise = seededNormal(11);
  const runs = 400;
  let held = 0;
  for (let run = 0; run < runs; run += 1) {
    const points = cores.map((x) => ({
      x,
      cellId: `c${x}`,
      tps: Array.from({ length: 12 }, () => throughputAt(truth, x) * (1 + 0.03 * noise())),
    }));
    const [low, high] = scalabilityOf(points)?.extrapolated[0]?.tps.ci95 ?? [0, 0];
    if (low <= throughputAt(truth, 32) && throughputAt(truth, 32) <= high) held += 1;
  }
  expect(held / runs).toBeGreaterThan(0.91);
  expect(held / runs).toBeLessThan(0.99);
});

test('three points, or one round, are no law', () => {
  const point = (x: number, rounds: number) => ({
    x,
    cellId: `c${x}`,
    tps: Array.from({ length: rounds }, () => x),
  });
  expect(scalabilityOf([1, 2, 4].map((x) => point(x, 5)))).toBeNull();
  expect(scalabilityOf([1, 2, 4, 8].map((x) => point(x, 1)))).toBeNull();
  expect(scalabilityOf([1, 2, 4, 8].map((x) => point(x, 2)))?.alpha.mean).toBeCloseTo(0, 8);
});
