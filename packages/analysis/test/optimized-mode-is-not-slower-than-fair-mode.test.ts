import { expect, test } from 'vitest';
import { slowerThanFair } from '../src/compare/slower-than-fair.ts';
import { summarize } from '../src/summary/summarize.ts';
import { passedTrial, planOf, runOf } from '../src/test-support/trial-records.ts';

/** Each target is a system of its own; five rounds of these operations in each window. */
function summaryOf(mode: 'fair' | 'optimized', applied: number) {
  const plan = { ...planOf({ targets: ['alpha-db', 'beta-db'], rounds: 5 }), mode };
  return summarize(
    runOf(plan, (cell, round) => passedTrial({ cell, round, applied: applied + round }), { targets: [] }),
  );
}

test.each([
  { applied: 5000, isSlower: true },
  { applied: 9700, isSlower: false },
  { applied: 15_000, isSlower: false },
])(
  'a system that reaches $applied in optimized mode and 10,000 in fair mode: slower is $isSlower',
  ({ applied, isSlower }) => {
    const found = slowerThanFair(summaryOf('fair', 10_000), summaryOf('optimized', applied), []);
    expect(found.length).toBeGreaterThan(0);
    expect(found.map((one) => one.isSlower)).toEqual(found.map(() => isSlower));
    expect(found[0]?.change.ratio).toBeCloseTo(applied / 10_000, 2);
  },
);
