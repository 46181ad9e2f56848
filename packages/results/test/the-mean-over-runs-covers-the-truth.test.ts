import { describe, expect, test } from 'vitest';
import { intervalOf } from '../src/statistics.ts';
import { meanOverRuns } from '../src/random-effects.ts';
import { seededNormal } from '../src/test-support/random.ts';

describe('thirteen trials of a vaccine (dat.bcg of the R package metafor, log risk ratios)', () => {
  // Cases and others, vaccinated and not (Colditz et al. 1994).
  const counts = [
    [4, 119, 11, 128],
    [6, 300, 29, 274],
    [3, 228, 11, 209],
    [62, 13_536, 248, 12_619],
    [33, 5036, 47, 5761],
    [180, 1361, 372, 1079],
    [8, 2537, 10, 619],
    [505, 87_886, 499, 87_892],
    [29, 7470, 45, 7232],
    [17, 1699, 65, 1600],
    [186, 50_448, 141, 27_197],
    [5, 2493, 3, 2338],
    [27, 16_886, 29, 17_825],
  ] as const;
  const runs = counts.map(([a, b, c, d]) => ({
    mean: Math.log(a / (a + b)) - Math.log(c / (c + d)),
    error: Math.sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)),
  }));
  const found = meanOverRuns(runs);

  test('have the mean and the variance between trials of DerSimonian and Laird', () => {
    expect(found.mean).toBeCloseTo(-0.7141, 4);
    expect(found.between ** 2).toBeCloseTo(0.3088, 4);
  });

  test('have the interval by Hartung and Knapp that statsmodels gives', () => {
    // statsmodels 0.15.0, combine_effects(…, method_re='chi2', use_t=True), row "random effect wls".
    const [low, high] = intervalOf(found) ?? [0, 0];
    expect(low).toBeCloseTo(-1.107821, 5);
    expect(high).toBeCloseTo(-0.320413, 5);
    expect(found.degrees).toBe(12);
  });
});

describe.each([2, 3, 6])('over %d runs', (count) => {
  const repetitions = 4000;
  const truth = Math.log(28.2);

  /** Shares of simulations whose interval holds the truth: ours, and the normal one of DerSimonian and Laird. */
  function coverage(between: number): { readonly ours: number; readonly normal: number } {
    const normal = seededNormal(count * 100 + between * 10);
    const covered = { ours: 0, normal: 0 };
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const runs = Array.from({ length: count }, (_, index) => {
        const error = index % 2 === 0 ? 0.05 : 0.1;
        return { mean: truth + between * normal() + error * normal(), error };
      });
      const { mean, between: found, ...rest } = meanOverRuns(runs);
      const [low, high] = intervalOf({ mean, ...rest }) ?? [0, 0];
      if (low <= truth && truth <= high) covered.ours += 1;
      const weight = runs.reduce((sum, { error }) => sum + 1 / (error ** 2 + found ** 2), 0);
      if (Math.abs(mean - truth) <= 1.959964 / Math.sqrt(weight)) covered.normal += 1;
    }
    return { ours: covered.ours / repetitions, normal: covered.normal / repetitions };
  }

  test('that differ by more than their errors, the interval covers the truth 95 times in 100, where that of DerSimonian and Laird does not', () => {
    const { ours, normal } = coverage(0.3);
    expect(ours).toBeGreaterThan(0.935);
    expect(normal).toBeLessThan(0.92);
  });

  test('that differ by their errors alone, it covers the truth at least as often', () => {
    expect(coverage(0).ours).toBeGreaterThan(0.94);
  });
});

test('runs that agree by luck do not make the interval narrower than their own errors do', () => {
  const { error, degrees } = meanOverRuns([
    { mean: 1, error: 0.1 },
    { mean: 1, error: 0.1 },
  ]);
  expect(error).toBeCloseTo(0.1 / Math.SQRT2, 12);
  expect(degrees).toBe(1);
});

test('a single run has a mean and no interval', () => {
  const one = meanOverRuns([{ mean: 1, error: 0.1 }]);
  expect(one.mean).toBe(1);
  expect(intervalOf(one)).toBeNull();
  expect(() => meanOverRuns([])).toThrow(/no run/);
});
