import { describe, expect, test } from 'vitest';
import { chosen } from '@fair-bench/contract/test-support';
import { meanOverRuns } from '../src/random-effects.ts';
import {
  holmAdjusted,
  intervalOf,
  intervalOfNextRun,
  meanOf,
  meanWithInterval,
  momentsOf,
  pairedRatio,
  type RunDeviation,
  sampleMean,
} from '../src/statistics.ts';
import { seededNormal } from '../src/test-support/random.ts';

/** The standard error of a share of 95 % over so many draws is 0.28 %. */
const repetitions = 6000;

function share(draw: () => boolean): number {
  let counted = 0;
  for (let repetition = 0; repetition < repetitions; repetition += 1) if (draw()) counted += 1;
  return counted / repetitions;
}

const isNominal = (covered: number): boolean => covered > 0.93 && covered < 0.975;

const has = (interval: readonly [number, number] | null, value: number): boolean =>
  interval !== null && interval[0] <= value && value <= interval[1];

/** Deviations of six targets' rounds, on the logarithm; the first one is looked at. */
const noises = {
  'of equal noise': [0.05, 0.05, 0.05, 0.05, 0.05, 0.05],
  'of which one is twice as noisy': [0.1, 0.05, 0.05, 0.05, 0.05, 0.05],
  'of which one is six times as noisy': [0.3, 0.05, 0.05, 0.05, 0.05, 0.05],
};

describe.each(chosen([3, 5, 12], (rounds) => rounds !== 12))('over %d rounds', (rounds) => {
  describe.each(Object.entries(noises))('targets %s', (_name, deviations) => {
    const [noisy = 0, quiet = 0] = deviations;
    const logsOf = (deviation: number, normal: () => number): readonly number[] =>
      Array.from({ length: rounds }, () => deviation * normal());

    test('have the truth in 95 of 100 intervals of a mean', () => {
      const normal = seededNormal(rounds * 100 + noisy * 10);
      const ofMean = (): boolean =>
        has(meanWithInterval(logsOf(noisy, normal).map((log) => 5000 * (1 + log))).ci95, 5000);
      expect(share(ofMean)).toSatisfy(isNominal);
    });

    test('have the truth in 95 of 100 intervals of a ratio of two, paired by round', () => {
      const normal = seededNormal(rounds * 200 + noisy * 10);
      const ofRatio = (): boolean => {
        const machine = logsOf(0.3, normal);
        const other = logsOf(quiet, normal);
        const pairs = logsOf(noisy, normal).map((log, round) => ({
          baseline: Math.exp((machine[round] ?? 0) + (other[round] ?? 0)),
          contender: 2 * Math.exp((machine[round] ?? 0) + log),
        }));
        return has(pairedRatio(pairs).ci95, 2);
      };
      expect(share(ofRatio)).toSatisfy(isNominal);
    });

    test('have the truth in 95 of 100 intervals of each, whatever the others of the family do', () => {
      const normal = seededNormal(rounds * 300 + noisy * 10);
      const held = [0, 0];
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        const family = deviations.map((deviation) => sampleMean(logsOf(deviation, normal)));
        for (const index of [0, 1]) {
          const one = family[index];
          if (one !== undefined && has(intervalOf(one), 0)) held[index] = (held[index] ?? 0) + 1;
        }
      }
      for (const count of held) expect(count / repetitions).toSatisfy(isNominal);
    });

    test('have no false difference in 95 of 100 families (Holm)', () => {
      const normal = seededNormal(rounds * 400 + noisy * 10);
      const isQuiet = (): boolean => {
        const family = deviations.map((deviation) =>
          pairedRatio(logsOf(deviation, normal).map((log) => ({ baseline: 1, contender: Math.exp(log) }))),
        );
        return holmAdjusted(family.map(({ pValue }) => pValue)).every((pValue) => (pValue ?? 0) > 0.05);
      };
      expect(share(isQuiet)).toSatisfy(isNominal);
    });
  });

  describe.each([
    ['equal errors', 0.05, 0.05],
    ['unequal errors', 0.02, 0.1],
  ])('and the mean over as many runs, of %s', (_name, even, odd) => {
    test('has the truth in 95 of 100 intervals', () => {
      const normal = seededNormal(rounds * 500 + odd * 100);
      const ofMean = (): boolean => {
        const runs = Array.from({ length: rounds }, (_, index) => {
          const error = index % 2 === 0 ? even : odd;
          return { mean: 0.3 * normal() + error * normal(), error };
        });
        return has(intervalOf(meanOverRuns(runs)), 0);
      };
      expect(share(ofMean)).toSatisfy(isNominal);
    });
  });

  const runOf = (betweenRuns: number, deviation: number, normal: () => number): readonly number[] => {
    const level = betweenRuns * normal();
    return Array.from({ length: rounds }, () => Math.exp(level + deviation * normal()));
  };

  function coverage(
    seed: number,
    nextRun: (normal: () => number) => readonly number[],
    deviationOf: (normal: () => number) => RunDeviation,
  ): number {
    const normal = seededNormal(seed);
    return share(() => {
      const between = deviationOf(normal);
      const own = sampleMean(nextRun(normal).map(Math.log));
      const next = Math.exp(meanOf(nextRun(normal).map(Math.log)));
      return has(intervalOfNextRun(Math.exp(own.mean), own, between), next);
    });
  }

  const mostly = ['that mostly differ from run to run', 0.1, 0.03] as const;
  const alike = ['whose rounds differ as much as they do', 0.1, 0.1 * Math.sqrt(rounds)] as const;
  const byRounds = ['that differ by their rounds alone', 0, 0.1] as const;

  describe.each([mostly, alike, byRounds])('runs %s', (_name, betweenRuns, deviation) => {
    const nextRun = runOf.bind(null, betweenRuns, deviation);
    test.each([3, 5, 12])(
      'are in 95 of 100 intervals of the next run, known from %d earlier ones',
      (runs) => {
        const covered = coverage(rounds * 1000 + runs, nextRun, (normal) => {
          const means = Array.from({ length: runs }, () => meanOf(nextRun(normal).map(Math.log)));
          const { variance, degrees } = momentsOf(means);
          return { kind: 'seen', deviation: Math.sqrt(variance), degrees };
        });
        expect(covered).toSatisfy(isNominal);
      },
    );
  });

  test.each([mostly, alike])(
    'runs %s are in 95 of 100 with an assumed deviation that is the true one',
    (name, betweenRuns, deviation) => {
      const nextRun = runOf.bind(null, betweenRuns, deviation);
      const covered = coverage(rounds * 2000 + name.length, nextRun, () => ({
        kind: 'assumed',
        deviation: betweenRuns,
      }));
      expect(covered).toSatisfy(isNominal);
    },
  );
});
