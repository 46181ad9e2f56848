import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exp, log } from '../src/elementary.ts';
import { seriesExp, seriesLog } from '../src/series.ts';
import { mix64 } from '../src/splitmix64.ts';
import { Xoshiro128 } from '../src/xoshiro128.ts';
import { buildGoldenVectors, goldenPath } from './golden.ts';

const ulp = 2 ** -52;

test('every golden vector is reproduced', () => {
  const expected: unknown = JSON.parse(readFileSync(goldenPath, 'utf8'));
  expect(buildGoldenVectors()).toEqual(expected);
});

test('xoshiro128++ gives the outputs of its authors’ reference code', () => {
  const generator = new Xoshiro128(Uint32Array.of(1, 2, 3, 4));
  const outputs = Array.from({ length: 10 }, () => generator.nextInt32() >>> 0);
  expect(outputs).toEqual([
    641, 1_573_767, 3_222_811_527, 3_517_856_514, 836_907_274, 4_247_214_768, 3_867_114_732, 1_355_841_295,
    495_546_011, 621_204_420,
  ]);
});

test('splitmix64 gives the outputs of its authors’ reference code', () => {
  let state = 1_234_567n;
  const outputs = Array.from({ length: 5 }, () => {
    state += 0x9e37_79b9_7f4a_7c15n;
    return mix64(state);
  });
  expect(outputs).toEqual([
    6_457_827_717_110_365_317n,
    3_203_168_211_198_807_973n,
    9_817_491_932_198_370_423n,
    4_593_380_528_125_082_431n,
    16_408_922_859_458_223_821n,
  ]);
});

test('the series agree with the engine’s own functions within 2 units of the last place', () => {
  let logUlps = 0;
  let expUlps = 0;
  for (const x of samples(200_000)) {
    const logX = Math.log(2 ** (x * 50));
    logUlps = Math.max(logUlps, ulpsBetween(seriesLog(2 ** (x * 50)), logX));
    expUlps = Math.max(expUlps, ulpsBetween(seriesExp(x * 700), Math.exp(x * 700)));
  }
  expect(logUlps).toBeLessThanOrEqual(2);
  expect(expUlps).toBeLessThanOrEqual(2);
});

test('the tabled functions agree with the engine’s own', () => {
  let logError = 0;
  let expError = 0;
  for (const x of samples(200_000)) {
    const argument = 2 ** (x * 50);
    const expected = Math.log(argument);
    logError = Math.max(logError, Math.abs(log(argument) - expected) / Math.max(1, Math.abs(expected)));
    expError = Math.max(expError, Math.abs(exp(x * 700) / Math.exp(x * 700) - 1));
  }
  expect(logError).toBeLessThanOrEqual(2 * ulp);
  expect(expError).toBeLessThanOrEqual(2 * ulp);
});

/** Evenly spread over (−1, 1), without a generator under test. */
function samples(count: number): number[] {
  return Array.from({ length: count }, (_, index) => 2 * ((index * 0.618_033_988_749_895) % 1) - 1);
}

/** How many doubles lie between two doubles of the same sign. */
function ulpsBetween(a: number, b: number): number {
  const bits = new BigInt64Array(Float64Array.of(a, b).buffer);
  const distance = (bits[0] ?? 0n) - (bits[1] ?? 0n);
  return Number(distance < 0n ? -distance : distance);
}
