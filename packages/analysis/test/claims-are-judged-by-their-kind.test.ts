import { type LogEstimate, type StatementKind, ratioEstimateOf, tFactor } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { seededNormal } from '@fair-bench/results/test-support';
import { judgeRatios } from '../src/index.ts';
import { present } from '../src/test-support/trial-records.ts';

const degrees = 11;

/** A ratio with a 95 % interval that reaches this × to either side. */
function estimate(ratio: number, reach = 1.09): LogEstimate {
  return { mean: Math.log(ratio), error: Math.log(reach) / tFactor(degrees), degrees };
}

function judged(kind: StatementKind, claimedRatio: number, measured: LogEstimate) {
  return present(judgeRatios([{ kind, claimedRatio, estimate: measured }])[0]);
}

test.each([
  ['only about 2.3 ×, measured 7.58 [6.97, 8.23]', 'about', 2.3, 7.58, 'contradicted'],
  ['8.3 × at high contention, measured 34.3', 'about', 8.3, 34.3, 'contradicted'],
  ['equal, measured 8 ×', 'about', 1, 8, 'contradicted'],
  ['pipelining adds nothing, measured 0.05', 'about', 0.925, 0.05, 'contradicted'],
  ['about 28.2 ×, measured 400', 'about', 28.2, 400, 'contradicted'],
  ['about 28.2 ×, measured 29.5', 'about', 28.2, 29.5, 'supported'],
  ['about 28.2 ×, measured 22.6, at the margin', 'about', 28.2, 22.6, 'undecided'],
  ['about 28.2 ×, measured 35.2, at the other', 'about', 28.2, 35.2, 'undecided'],
  ['at least 28.2 ×, measured 400', 'at least', 28.2, 400, 'exceeded'],
  ['at least 28.2 ×, measured 32, above it within the margin', 'at least', 28.2, 32, 'supported'],
  ['at least 28.2 ×, measured 25.5, below it within the margin', 'at least', 28.2, 25.5, 'supported'],
  ['at least 28.2 ×, measured 14', 'at least', 28.2, 14, 'contradicted'],
  ['at most 2.3 ×, measured 7.58', 'at most', 2.3, 7.58, 'contradicted'],
  ['at most 2.3 ×, measured 2.4', 'at most', 2.3, 2.4, 'supported'],
  ['at most 2.3 ×, measured 1.1', 'at most', 2.3, 1.1, 'exceeded'],
] as const)('%s', (_words, kind, claimedRatio, ratio, verdict) => {
  expect(judged(kind, claimedRatio, estimate(ratio)).verdict).toBe(verdict);
});

test('a verdict says which bound the interval excludes, and in which direction it misses the claim', () => {
  expect(judged('about', 28.2, estimate(29.5)).because).toBe(
    'the whole interval is above 22.6 × (0.8 of the claim) and below 35.3 × (1.25 of the claim)',
  );
  expect(judged('about', 2.3, estimate(7.58)).because).toBe(
    'the whole interval is above 2.88 × (1.25 of the claim): more was measured than claimed',
  );
  expect(judged('at least', 28.2, estimate(14)).because).toMatch(
    /below 22\.6 ×.*: less was measured than claimed$/,
  );
  expect(judged('at least', 28.2, estimate(400)).because).toMatch(
    /: the claim holds, and more was measured than it says$/,
  );
  expect(judged('at most', 2.3, estimate(1.1)).because).toMatch(
    /: the claim holds, and less was measured than it says$/,
  );
  expect(judged('about', 28.2, estimate(28.2, 1.4)).because).toMatch(
    /^its interval includes 22\.6 ×.* and 35\.3 ×/,
  );
});

test('width alone supports nothing, and one round decides nothing', () => {
  for (const kind of ['about', 'at least', 'at most'] as const) {
    for (const reach of [1.6, 3, 100]) {
      expect(judged(kind, 10, estimate(10, reach)).verdict).not.toBe('supported');
    }
    const single = judged(kind, 10, { mean: Math.log(10), error: 0, degrees: 0 });
    expect(single).toEqual({ verdict: 'undecided', because: 'one round has no interval' });
  }
  expect(judged('at least', 10, estimate(40, 1.6)).because).toContain('more than 1.5 × supports nothing');
});

test('a statement among many needs a clearer interval (Holm)', () => {
  // Its interval ends just inside of the margin.
  const near = { kind: 'about', claimedRatio: 10, estimate: estimate(11.4, 1.09) } as const;
  expect(present(judgeRatios([near])[0]).verdict).toBe('supported');
  const family = [near, ...Array.from({ length: 9 }, () => ({ ...near, estimate: estimate(10, 1.5) }))];
  expect(present(judgeRatios(family)[0])).toEqual({
    verdict: 'undecided',
    because: "not significant among the claim's statements (Holm)",
  });
});

describe('of runs whose true ratio is just not what the claim says', () => {
  const runs = 4000;
  /** 5 % and three standard errors of a share of so many runs. */
  const alarmsMax = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs);

  /** Verdicts on a claim of 10 ×, by their share of runs. */
  function verdicts(kind: StatementKind, truth: number, deviation: number): Readonly<Record<string, number>> {
    const rounds = 6;
    const normal = seededNormal(Math.round(truth * 1000 + deviation * 100));
    const counts: Record<string, number> = {};
    for (let run = 0; run < runs; run += 1) {
      const logs = Array.from({ length: rounds }, () => Math.log(truth) + deviation * normal());
      const mean = logs.reduce((sum, log) => sum + log, 0) / rounds;
      const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (rounds - 1);
      const { verdict } = judged(kind, 10, {
        mean,
        error: Math.sqrt(variance / rounds),
        degrees: rounds - 1,
      });
      counts[verdict] = (counts[verdict] ?? 0) + 1 / runs;
    }
    return counts;
  }

  describe.each([0.02, 0.1, 0.3])('with a deviation of %d', (deviation) => {
    test.each([
      ['about', 8, 'supported'],
      ['about', 12.5, 'supported'],
      ['about', 8, 'contradicted'],
      ['about', 12.5, 'contradicted'],
      ['at least', 8, 'supported'],
      ['at least', 8, 'contradicted'],
      ['at least', 12.5, 'exceeded'],
      ['at most', 12.5, 'supported'],
      ['at most', 8, 'exceeded'],
    ] as const)('“%s 10”, in truth %d, is %s in 5 % of them at most', (kind, truth, verdict) => {
      expect(verdicts(kind, truth, deviation)[verdict] ?? 0).toBeLessThan(alarmsMax);
    });
  });

  test('and those whose true ratio is the claimed one are supported', () => {
    for (const kind of ['about', 'at least', 'at most'] as const) {
      expect(verdicts(kind, 10, 0.05)['supported'] ?? 0).toBeGreaterThan(0.95);
    }
  });
});

test('the interval and the verdict agree: supported means inside of the margins', () => {
  const found = estimate(10.9, 1.14);
  const interval = ratioEstimateOf(found).ci95;
  expect(interval?.[1]).toBeLessThan(12.5);
  expect(judged('about', 10, found).verdict).toBe('supported');
  expect(judged('about', 10, estimate(11, 1.14)).verdict).toBe('undecided');
});
