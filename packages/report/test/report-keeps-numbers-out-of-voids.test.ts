import { type CellSummary, runSummarySchema } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, present, runOf, voidTrial } from '../../analysis/test/support/trial-records.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http', 'gamma-http'] });
// A throughput of 73,195.5 for the trials that passed: digits that are in nothing else.
const applied = 146_391;
const traces = /73[,.]?195|146[,.]?391/;

/** The second round of beta is void, the others passed. */
const run = runOf(plan, (cell, round) => {
  if (cell.target !== 'beta-http') return passedTrial({ cell, round, applied: 1000 + round });
  return round === 1 ? voidTrial({ cell, round }) : passedTrial({ cell, round, applied });
});
const summary = summarize(run);
const betaCells = summary.cells.filter(({ target }) => target === 'beta-http');

test('a cell with one void trial is void, with the reason and how many trials passed', () => {
  expect(betaCells).toHaveLength(1);
  expect(betaCells[0]).toMatchObject({
    status: 'void',
    reason: 'round 2: a transfer was applied twice (2 of 3 trials passed)',
    audit: { status: 'failed', mismatches: 2 },
    trials: [
      { round: 0, status: 'held', file: 'trials/beta-http-a0.5-d1-s50-r0.json' },
      { round: 1, status: 'void' },
      { round: 2, status: 'held' },
    ],
  });
});

test('its throughput is in no output', () => {
  const passed = passedTrial({ cell: present(plan.cells[0]), round: 0, applied });
  expect(JSON.stringify(passed)).toMatch(traces);
  expect(JSON.stringify(summary)).not.toMatch(traces);
  expect(renderMarkdown(summary)).not.toMatch(traces);
  expect(renderTerminal(summary, { color: false, width: 200, verbose: true })).not.toMatch(traces);
  for (const name of ['tps', 'latencyMs', 'counts', 'cpuUsPerTxn', 'rssMb']) {
    expect(JSON.stringify(betaCells)).not.toContain(`"${name}"`);
  }
});

test('the row of the void cell has dashes where the others have numbers', () => {
  const text = renderTerminal(summary, { color: false, width: 200, verbose: true });
  const row = text.split('\n').find((line) => line.includes('beta-http') && line.includes('void'));
  expect(row?.trim().split(/ {2,}/)).toEqual([
    '0.5',
    '1',
    'beta-http',
    'void',
    ...Array(10).fill('–'),
    '–',
    '–',
    '–',
    'failed',
  ]);
});

test('it is in no comparison, and the others are', () => {
  expect(summary.comparisons.map(({ baseline, contender }) => [baseline, contender])).toEqual([
    ['alpha-http', 'gamma-http'],
  ]);
});

test('the schema refuses a void with a throughput', () => {
  const forged = { ...summary, cells: betaCells.map((cell) => ({ ...cell, tps: { mean: 1 } })) };
  expect(runSummarySchema.safeParse(forged).success).toBe(false);
});

test('a trial that calls itself ok with a failed audit has no number', () => {
  const audit = voidTrial({ cell: present(plan.cells[0]), round: 0 }).audit;
  const forged = runOf(plan, (cell, round) =>
    passedTrial(
      { cell, round, applied: 1000 },
      cell.target === 'beta-http' && audit !== null ? { audit } : {},
    ),
  );
  const statuses = summarize(forged).cells.map(({ status }): CellSummary['status'] => status);
  expect(statuses).toEqual(['ok', 'void', 'ok']);
});

test('a cell whose trials are missing from a run that came to its end is void', () => {
  const trials = run.trials.filter(({ cellId, round }) => !(cellId.startsWith('alpha') && round === 2));
  expect(summarize({ ...run, trials }).cells[0]).toMatchObject({
    status: 'void',
    reason: '2 of 3 trials were recorded',
  });
});
