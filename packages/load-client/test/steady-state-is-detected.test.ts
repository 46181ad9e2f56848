import { expect, test } from 'vitest';
import { driftOf, isSteady, trendOf } from '../src/steady-state.ts';

const noise = [3, -2, 1, -3, 2, -1, 0, 2];

test('a level series is steady, with noise or without', () => {
  expect(isSteady([100, 100, 100, 100, 100, 100, 100, 100])).toBe(true);
  expect(isSteady(noise.map((value) => 100 + value))).toBe(true);
});

test('a noisy system is steady when noise explains its change', () => {
  expect(isSteady([100, 140, 70, 120, 85, 135, 75, 115])).toBe(true);
});

test('a ramp is not steady, however smooth or noisy', () => {
  expect(isSteady([10, 20, 30, 40, 50, 60, 70, 80])).toBe(false);
  expect(isSteady(noise.map((value, index) => 100 + 10 * index + value))).toBe(false);
  expect(isSteady([40, 160, 30, 150, 80, 240, 90, 250])).toBe(false);
});

test('only the last eight slices count: a ramp that is over is forgotten', () => {
  expect(isSteady([1, 10, 50, 80, ...noise.map((value) => 100 + value)])).toBe(true);
});

test('too few slices, or nothing done, prove nothing', () => {
  expect(isSteady([100, 100, 100])).toBe(false);
  expect(isSteady([0, 0, 0, 0, 0, 0, 0, 0])).toBe(false);
});

test('drift is the change over the window as a share of its mean', () => {
  // From 95 to 105 by regression through slices whose centres lie within the window.
  const rising = Array.from({ length: 100 }, (_, index) => 95 + (index + 0.5) / 10);
  expect(driftOf(rising)).toBeCloseTo(0.1, 10);
  expect(driftOf(rising.toReversed())).toBeCloseTo(-0.1, 10);
  expect(trendOf(rising)?.margin).toBeCloseTo(0, 10);
  expect(driftOf([])).toBe(0);
});
