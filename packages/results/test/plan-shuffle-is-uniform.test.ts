import { expect, test } from 'vitest';
import { shuffled, splitMix64 } from '../src/random.ts';

test('SplitMix64 gives the published numbers for seed 1234567', () => {
  const draw = splitMix64(1_234_567n);
  expect([draw(), draw(), draw()]).toEqual([
    6_457_827_717_110_365_317n,
    3_203_168_211_198_807_973n,
    9_817_491_932_198_370_423n,
  ]);
});

test('every order of four is equally frequent', () => {
  const draw = splitMix64(42n);
  const shuffles = 24_000;
  const counts = new Map<string, number>();
  for (let index = 0; index < shuffles; index += 1) {
    const order = shuffled(['a', 'b', 'c', 'd'], draw).join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect(counts.size).toBe(24);
  const expected = shuffles / 24;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // The 99.9 % point of the chi-square distribution with 23 degrees of freedom; the seed is fixed.
  expect(chiSquare).toBeLessThan(49.73);
});
