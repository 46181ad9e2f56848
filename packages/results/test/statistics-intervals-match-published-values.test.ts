import { describe, expect, test } from 'vitest';
import {
  holmAdjusted,
  meanWithInterval,
  pairedRatio,
  ratioBetweenRuns,
  tFactor,
  unpairedRatio,
} from '../src/statistics.ts';
import { roundsToDecide as roundsOfFamily } from '../src/rounds-to-decide.ts';

describe('the t quantile at 97.5 %', () => {
  // Printed in every table of Student's distribution, to three decimals.
  test.each([
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [4, 2.776],
    [5, 2.571],
    [9, 2.262],
    [10, 2.228],
    [29, 2.045],
    [30, 2.042],
    [60, 2.0],
    [120, 1.98],
  ])('with %d degrees of freedom is %f', (degrees, printed) => {
    expect(tFactor(degrees)).toBeCloseTo(printed, 3);
  });

  test('is refused without degrees of freedom', () => {
    expect(() => tFactor(0)).toThrow(RangeError);
    expect(() => tFactor(Number.NaN)).toThrow(RangeError);
  });
});

describe('the mean of trials', () => {
  test('comes with the interval that is worked out by hand', () => {
    // 10, 12, 14: mean 12, s = 2, standard error 2/√3 = 1.154701, t₂ = 4.302653, half width 4.968275.
    const { mean, ci95 } = meanWithInterval([10, 12, 14]);
    expect(mean).toBe(12);
    expect(ci95?.[0]).toBeCloseTo(12 - 4.968275, 5);
    expect(ci95?.[1]).toBeCloseTo(12 + 4.968275, 5);
  });

  test('of one trial has no interval', () => {
    expect(meanWithInterval([7])).toEqual({ mean: 7, ci95: null });
  });

  test('of equal trials has an interval without width', () => {
    expect(meanWithInterval([5, 5, 5])).toEqual({ mean: 5, ci95: [5, 5] });
  });

  test('of no trials is refused', () => {
    expect(() => meanWithInterval([])).toThrow(RangeError);
  });
});

describe('the ratio of two cells', () => {
  test('is the geometric mean of the ratios of rounds, with the interval that is worked out by hand', () => {
    // Ratios 2, 2, 4: logs ln2 · (1, 1, 2), mean 4/3 · ln2, s = ln2/√3, standard error ln2/3, half width 4.302653 · ln2/3.
    const { ratio, ci95, significant } = pairedRatio([
      { baseline: 100, contender: 200 },
      { baseline: 150, contender: 300 },
      { baseline: 50, contender: 200 },
    ]);
    expect(ratio).toBeCloseTo(2 ** (4 / 3), 10);
    expect(ci95?.[0]).toBeCloseTo(2 ** (4 / 3 - 4.302652729749 / 3), 6);
    expect(ci95?.[1]).toBeCloseTo(2 ** (4 / 3 + 4.302652729749 / 3), 6);
    // 2^(−0.1009) = 0.932 is below 1: the three rounds tell nothing.
    expect(significant).toBe(false);
  });

  test('is significant when the interval excludes 1, on either side', () => {
    const faster = [1, 2, 3].map((round) => ({ baseline: 100 * round, contender: (200 + round) * round }));
    const slower = faster.map(({ baseline, contender }) => ({ baseline: contender, contender: baseline }));
    expect(pairedRatio(faster).significant).toBe(true);
    expect(pairedRatio(slower).significant).toBe(true);
    expect(pairedRatio(slower).ratio).toBeCloseTo(1 / pairedRatio(faster).ratio, 12);
  });

  test('pairs by round: what a round does to both is taken out', () => {
    const rounds = [1, 10, 100].map((load) => ({ baseline: load, contender: 1.1 * load }));
    expect(pairedRatio(rounds).ratio).toBeCloseTo(1.1, 12);
    expect(pairedRatio(rounds).significant).toBe(true);
  });

  test('of one round has no interval and is never significant', () => {
    const single = pairedRatio([{ baseline: 1, contender: 50 }]);
    expect(single).toMatchObject({ ci95: null, significant: false });
    expect(single.ratio).toBeCloseTo(50, 10);
  });

  test('refuses a throughput of zero', () => {
    expect(() => pairedRatio([{ baseline: 0, contender: 1 }])).toThrow(/not positive/);
  });
});

describe('the ratio of two runs', () => {
  test('has the Welch interval that is worked out by hand', () => {
    // Logs base e: before 0, 1, 2 (s² = 1), after 3, 4, 5, 6 (s² = 5/3): difference 3.5, variance of it
    // 1/3 + 5/12 = 0.75, degrees 0.75² / ((1/3)²/2 + (5/12)²/3) = 0.5625 / 0.11342593 = 4.959184.
    const { ratio, ci95 } = unpairedRatio([0, 1, 2].map(Math.exp), [3, 4, 5, 6].map(Math.exp));
    expect(Math.log(ratio)).toBeCloseTo(3.5, 10);
    // The quantile 2.576958 by numerical integration of the density, half width 2.231711.
    const half = 2.231711;
    expect(Math.log(ci95?.[0] ?? 0)).toBeCloseTo(3.5 - half, 5);
    expect(Math.log(ci95?.[1] ?? 0)).toBeCloseTo(3.5 + half, 5);
  });

  test('has no interval when one run has a single trial', () => {
    expect(unpairedRatio([100], [200, 201])).toMatchObject({ ci95: null, significant: false });
  });

  test('of runs without any spread is the ratio itself', () => {
    expect(unpairedRatio([2, 2], [2, 2])).toEqual({
      ratio: 1,
      ci95: [1, 1],
      significant: false,
      pValue: 1,
    });
  });

  test('is as wide as the deviation between runs, if that is more than the rounds show', () => {
    // √2 × 0.1 × 1.959964 = 0.277181 where the deviation is known.
    const known = { kind: 'seen', deviation: 0.1, degrees: 1e6 } as const;
    const { ci95 } = ratioBetweenRuns([2, 2.0001], [2, 2.0001], known);
    expect(Math.log(ci95?.[1] ?? 0)).toBeCloseTo(0.277181, 5);
    const noisy = [
      [1, 2, 4],
      [2, 4, 8],
    ] as const;
    expect(ratioBetweenRuns(...noisy, known)).toEqual(unpairedRatio(...noisy));
  });
});

describe('the p value', () => {
  // Student's table read the other way: t = 2.776 with 4 degrees is 5 %, 4.604 is 1 %.
  test.each([
    [2.776445, 0.05],
    [4.604095, 0.01],
  ])('of t = %f with 4 degrees is %f', (t, p) => {
    const error = Math.sqrt(2.5 / 5);
    const rounds = [-2, -1, 0, 1, 2].map((log) => ({ baseline: 1, contender: Math.exp(log + t * error) }));
    expect(pairedRatio(rounds).pValue).toBeCloseTo(p, 6);
    expect(pairedRatio(rounds, Math.exp(t * error)).pValue).toBeCloseTo(1, 6);
  });

  test("is adjusted as in Holm's procedure, worked out by hand", () => {
    // Sorted 0.01, 0.02, 0.03, 0.2: × 4, × 3, × 2, × 1, none below the one before it.
    expect(holmAdjusted([0.03, 0.01, null, 0.2, 0.02])).toEqual([0.06, 0.04, null, 0.2, 0.06]);
    expect(holmAdjusted([0.6, 0.7])).toEqual([1, 1]);
  });
});

describe('the rounds that would decide a ratio', () => {
  const pairs = (logs: readonly number[]) => logs.map((log) => ({ baseline: 1, contender: Math.exp(log) }));

  const roundsToDecide = (
    rounds: ReturnType<typeof pairs>,
    bounds: readonly number[],
    widest: number,
  ): number | null | undefined => roundsOfFamily([{ rounds, bounds, widest }])[0];

  test('are those of the sample size formula', () => {
    // s = 0.1, distance 0.1: (t₀.₉₇₅ + t₀.₈) ÷ √n ≤ 1 first at n = 10: 2.262 + 0.883 ≤ 3.162, but 2.306 + 0.889 > 3.
    expect(roundsToDecide(pairs([0, 0.1, 0.2]), [1], 10)).toBe(10);
  });

  test('are more where two bounds must be excluded at once, and only the nearest counts outside of them', () => {
    const [low, high] = [Math.exp(-0.05), Math.exp(0.25)];
    // s = 0.1 and 0.15 to either side: one bound needs (t₀.₉₇₅ + t₀.₈) ÷ √n ≤ 1.5, two need t₀.₉ in place of t₀.₈.
    const one = roundsToDecide(pairs([0, 0.1, 0.2]), [low], 10) ?? 0;
    const both = roundsToDecide(pairs([0, 0.1, 0.2]), [low, high], 10) ?? 0;
    expect([one, both]).toEqual([6, 7]);
    expect(roundsToDecide(pairs([0, 0.1, 0.2]), [0.1, 1], 10)).toBe(10);
  });

  test('are more in a family, as Holm tests it, and never those that did not decide', () => {
    const one = { rounds: pairs([0, 0.1, 0.2]), bounds: [1], widest: 10 };
    // The first at 5 % ÷ 3, the next at ÷ 2, the last at 5 %, but not before the ones before it.
    const [first = null, second = null, third = null] = roundsOfFamily([one, one, one]);
    expect(first).toBeGreaterThan(10);
    expect([second, third]).toEqual([first, first]);
    expect(roundsOfFamily([null, null, one])).toEqual([null, null, 10]);
    // s = 0.0001 and a distance of 1: two rounds would do, but two did not.
    expect(roundsToDecide(pairs([1, 1.0001]), [1], 10)).toBe(3);
  });

  test('are more for a narrow interval, and null beyond the bound', () => {
    expect(roundsToDecide(pairs([0, 0.1, 0.2]), [1], 1.02)).toBeGreaterThan(90);
    expect(roundsToDecide(pairs([-0.1, 0, 0.1]), [1], 10)).toBeNull();
    expect(roundsToDecide(pairs([0.1]), [1], 10)).toBeNull();
  });
});
