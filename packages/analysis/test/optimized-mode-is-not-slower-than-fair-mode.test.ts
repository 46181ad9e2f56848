import type { Cell } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { slowerThanFair } from '../src/compare/slower-than-fair.ts';
import { summarize } from '../src/summary/summarize.ts';
import { passedTrial, planOf, runOf } from '../src/test-support/trial-records.ts';

/** Each target is a system of its own; five rounds of these operations in each window. */
function summaryOf(mode: 'fair' | 'optimized', applied: number, conditions: Partial<Cell> = {}) {
  const { cells, ...rest } = planOf({ targets: ['alpha-db', 'beta-db'], rounds: 5 });
  const plan = { ...rest, cells: cells.map((cell) => ({ ...cell, ...conditions })), mode };
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

test.each<[string, Partial<Cell>]>([
  ['a hundred operations to a commit', { batch: 100 }],
  ['fewer processors', { cores: 1 }],
  ['less memory', { memoryMb: 64 }],
  ['cold files', { cold: true }],
])('a fair run with %s is not compared with an optimized one without', (_what, conditions) => {
  const fair = summaryOf('fair', 10_000, conditions);
  expect(slowerThanFair(fair, summaryOf('optimized', 5000), [])).toEqual([]);
  expect(slowerThanFair(fair, summaryOf('optimized', 5000, conditions), [])).not.toEqual([]);
});
