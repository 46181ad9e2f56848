import { describe, expect, test } from 'vitest';
import { pairedRatio, type RoundPair } from '../src/index.ts';
import { seededNormal } from '../src/test-support/random.ts';

const draws = 4000;
const truth = 2;
/** The deviation of a round's log ratio within one start of the servers. */
const within = 0.1;

interface Simulated {
  readonly rounds: number;
  /** The deviation of the log ratio from one start of the servers to the next. */
  readonly between: number;
  readonly starts: 'each' | 'once';
}

/** How often the 95 % interval of simulated runs contains the true ratio. */
function coverageOf({ rounds, between, starts }: Simulated): number {
  const draw = seededNormal(7);
  let covered = 0;
  for (let run = 0; run < draws; run += 1) {
    const first = between * draw();
    const pairs = Array.from({ length: rounds }, (_, round): RoundPair => {
      const start = starts === 'once' || round === 0 ? first : between * draw();
      return { baseline: 1, contender: truth * Math.exp(start + within * draw()) };
    });
    const [low, high] = pairedRatio(pairs).ci95 ?? [Number.NaN, Number.NaN];
    if (low <= truth && truth <= high) covered += 1;
  }
  return covered / draws;
}

describe.each([3, 5, 12])('%i rounds, each on servers of its own', (rounds) => {
  test.each([0, within / 2, within, 2 * within])(
    'cover the truth with a deviation of %f between starts',
    (between) => {
      const coverage = coverageOf({ rounds, between, starts: 'each' });
      expect(coverage).toBeGreaterThan(0.94);
      expect(coverage).toBeLessThan(0.96);
    },
  );
});

test('rounds on one start of the servers cover it only where starts do not differ', () => {
  expect(coverageOf({ rounds: 5, between: 0, starts: 'once' })).toBeGreaterThan(0.94);
  expect(coverageOf({ rounds: 5, between: within, starts: 'once' })).toBeLessThan(0.75);
  expect(coverageOf({ rounds: 12, between: within, starts: 'once' })).toBeLessThan(0.6);
});
