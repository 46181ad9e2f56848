import { splitMix64 } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { theilSen } from '../src/soak/theil-sen.ts';

const runs = 400;

/** Standard normal numbers by the seed (G. E. P. Box and M. E. Muller, 1958). */
function normals(seed: number): () => number {
  const draw = splitMix64(BigInt(seed));
  const uniform = (): number => (Number(draw() >> 11n) + 1) / (2 ** 53 + 1);
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** A series of an hour: a slope, and noise of which each value keeps a share of the one before. */
function series(seed: number, count: number, slope: number, kept: number): { x: number; y: number }[] {
  const normal = normals(seed);
  let noise = normal();
  return Array.from({ length: count }, (_, place) => {
    noise = kept * noise + Math.sqrt(1 - kept * kept) * normal();
    return { x: place / count, y: 100 + slope * (place / count) + noise };
  });
}

function coverage(count: number, slope: number, kept: number): number {
  let covered = 0;
  for (let seed = 0; seed < runs; seed += 1) {
    const [low, high] = theilSen(series(seed, count, slope, kept))?.ci95 ?? [1, 0];
    if (low <= slope && slope <= high) covered += 1;
  }
  return covered / runs;
}

test.each([
  { count: 12, slope: 0, kept: 0 },
  { count: 30, slope: -3, kept: 0 },
  { count: 60, slope: 2, kept: 0.3 },
  { count: 60, slope: 0, kept: 0.6 },
])('the interval covers the slope $slope over $count points that keep $kept of their noise', (one) => {
  // 95 % less three standard errors of 400 tries, and what a correction that is estimated may lack.
  expect(coverage(one.count, one.slope, one.kept)).toBeGreaterThan(0.88);
});

test('points that are alike have a wider interval than their number says', () => {
  const width = (kept: number): number => {
    const all = Array.from({ length: 50 }, (_, seed) => theilSen(series(seed, 60, 0, kept)));
    return all.reduce((sum, slope) => sum + (slope === null ? 0 : slope.ci95[1] - slope.ci95[0]), 0);
  };
  expect(width(0.6) / width(0)).toBeGreaterThan(1.5);
});

test('one wild value moves the slope less than it moves a line by least squares', () => {
  const points = Array.from({ length: 20 }, (_, x) => ({ x, y: 2 * x }));
  const wild = points.map((point) => (point.x === 19 ? { ...point, y: 1_000 } : point));
  expect(theilSen(points)?.perHour).toBe(2);
  expect(theilSen(wild)?.perHour).toBeCloseTo(2, 1);
});

test('fewer than eight points say nothing', () => {
  expect(theilSen(series(1, 7, 5, 0))).toBeNull();
  expect(theilSen(series(1, 8, 5, 0))).not.toBeNull();
});
