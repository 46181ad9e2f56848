import { expect, test } from 'vitest';
import type { PassedTrial } from '@fair-bench/results';
import { assessParity } from '../src/parity/assess-parity.ts';
import { rules } from '../src/parity/rules.ts';
import { summarize } from '../src/summary/summarize.ts';
import { passedTrial, planOf, present, runOf } from '../src/test-support/trial-records.ts';

const mib = 2 ** 20;
const planned = planOf({ targets: ['alpha-http', 'beta-http'] });
const plan = { ...planned, cells: planned.cells.map((cell) => ({ ...cell, cold: true as const })) };

function coldStart(residentBytes: number | null): PassedTrial['cold'] {
  const firstSecond = { applied: 400, latencyMsMean: 2 };
  return { filesBytes: 100 * mib, residentBytes, openMs: 12, firstSecond };
}

function runWith(beta: PassedTrial['cold']) {
  return runOf(plan, (cell, round) => {
    const cold = cell.target === 'alpha-http' ? coldStart(0) : beta;
    return passedTrial({ cell, round, applied: 1000 }, cold === undefined ? {} : { cold });
  });
}

test.each([
  { liar: 'none', beta: coldStart(0), broken: [] },
  { liar: 'an observer has mapped some pages', beta: coldStart(5 * mib), broken: [] },
  { liar: 'nothing here can tell', beta: coldStart(null), broken: [] },
  { liar: 'its files stayed in the page cache', beta: coldStart(60 * mib), broken: [rules.cold] },
  { liar: 'it began warm', beta: undefined, broken: [rules.cold] },
])('all engines begin cold: $liar', ({ beta, broken }) => {
  const { verdict } = assessParity(runWith(beta));
  expect(verdict.differences.map(({ rule }) => rule)).toEqual(broken);
});

test('a run of warm trials has no line about it', () => {
  const { rows } = assessParity(runOf(planned, (cell, round) => passedTrial({ cell, round, applied: 1000 })));
  expect(rows.filter(({ rule }) => rule === rules.cold)).toEqual([]);
});

test('a cell has the means of the time to open and of the first second', () => {
  const [cell] = summarize(runWith(coldStart(0))).cells;
  const { coldStart: found } = cell?.status === 'ok' ? cell : { coldStart: undefined };
  expect(present(found)).toMatchObject({
    openMs: { mean: 12 },
    firstSecond: { tps: { mean: 400 }, latencyMsMean: { mean: 2 } },
  });
});
