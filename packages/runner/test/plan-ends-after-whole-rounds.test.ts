import { expect, test } from 'vitest';
import { roundGate } from '../src/plan/round-gate.ts';

/** Rounds of two trials that the gate lets begin, where round r takes `tookMs[r]`. */
function roundsOf(endsAtMs: number | undefined, tookMs: readonly number[]): number {
  let nowMs = 0;
  const gate = roundGate(endsAtMs, () => nowMs);
  for (const [round, took] of tookMs.entries()) {
    for (let trial = 0; trial < 2; trial += 1) {
      if (!gate(round)) return round;
      nowMs += took / 2;
    }
  }
  return tookMs.length;
}

test('a round is begun while the longest so far would end in time', () => {
  expect(roundsOf(100, [20, 20, 20, 20, 20, 20])).toBe(5);
  expect(roundsOf(99, [20, 20, 20, 20, 20, 20])).toBe(4);
  expect(roundsOf(100, [20, 35, 20, 20, 20])).toBe(3);
});

test('two rounds are measured whatever they take', () => {
  expect(roundsOf(10, [20, 20, 20])).toBe(2);
});

test('without an end all are', () => {
  expect(roundsOf(undefined, [20, 20, 20])).toBe(3);
});
