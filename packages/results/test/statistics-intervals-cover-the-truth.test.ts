import { describe, expect, test } from 'vitest';
import { meanWithInterval, pairedRatio, unpairedRatio } from '../src/statistics.ts';
import { seededNormal } from '../src/test-support/random.ts';

const repetitions = 4000;

/** Share of simulated experiments whose 95 % interval holds the true value. */
function coverage(truth: number, experiment: () => readonly [number, number] | null): number {
  let covered = 0;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const interval = experiment();
    if (interval !== null && interval[0] <= truth && truth <= interval[1]) covered += 1;
  }
  return covered / repetitions;
}

// The standard error of a coverage of 95 % over 4,000 repetitions is 0.34 %: 93 to 97 % is ± 5.8 of them.
const [low, high] = [0.93, 0.97];

describe.each([3, 10])('over %d rounds', (rounds) => {
  const indices = Array.from({ length: rounds }, (_, index) => index);

  test('the interval of a mean covers it 95 times in 100', () => {
    const normal = seededNormal(1000 + rounds);
    const share = coverage(5000, () => meanWithInterval(indices.map(() => 5000 + 300 * normal())).ci95);
    expect(share).toBeGreaterThan(low);
    expect(share).toBeLessThan(high);
  });

  test('the interval of a ratio of log-normal rounds covers it 95 times in 100', () => {
    const normal = seededNormal(2000 + rounds);
    const share = coverage(2.4, () => {
      const pairs = indices.map(() => {
        const machine = Math.exp(0.5 * normal());
        const baseline = 1000 * machine * Math.exp(0.05 * normal());
        const contender = 2400 * machine * Math.exp(0.1 * normal());
        return { baseline, contender };
      });
      return pairedRatio(pairs).ci95;
    });
    expect(share).toBeGreaterThan(low);
    expect(share).toBeLessThan(high);
  });

  test('identical systems differ significantly 5 times in 100', () => {
    const normal = seededNormal(3000 + rounds);
    let significant = 0;
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const pairs = indices.map(() => ({
        baseline: 1000 * Math.exp(0.05 * normal()),
        contender: 1000 * Math.exp(0.05 * normal()),
      }));
      if (pairedRatio(pairs).significant) significant += 1;
    }
    expect(significant / repetitions).toBeGreaterThan(1 - high);
    expect(significant / repetitions).toBeLessThan(1 - low);
  });

  test('the Welch interval between two runs of unequal spread covers the ratio about 95 times in 100', () => {
    const normal = seededNormal(4000 + rounds);
    const share = coverage(1.5, () => {
      const before = indices.map(() => 1000 * Math.exp(0.05 * normal()));
      const after = indices.map(() => 1500 * Math.exp(0.1 * normal()));
      return unpairedRatio(before, after).ci95;
    });
    expect(share).toBeGreaterThan(low);
    // Welch's interval errs on the wide side for few trials.
    expect(share).toBeLessThan(0.975);
  });
});
