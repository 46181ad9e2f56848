import { answerOf } from '../src/answer.ts';
import { type CellSummary, runSummarySchema } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, present, runOf, voidTrial } from '@fair-bench/analysis/test-support';

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
    ...Array(11).fill('–'),
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

/** Each of six rounds of beta passed, those in `again` after a void. */
function runWithVoids(...again: readonly number[]) {
  const sixRounds = planOf({ targets: ['alpha-http', 'beta-http'], rounds: 6 });
  return runOf(sixRounds, (cell, round) => {
    const shape = { cell, round, applied: 1000 + round };
    if (cell.target !== 'beta-http' || !again.includes(round)) return passedTrial(shape);
    const file = `discarded/beta-r${round}-1.json`;
    return passedTrial(shape, {
      discardedTrials: [{ file, voidBy: ['reply-bursts'], reason: 'replies came in bursts' }],
    });
  });
}

test('a void that was measured again is counted, and is in every output', () => {
  const input = runWithVoids(2);
  const once = summarize(input);
  expect(once.run.voidsMeasuredAgain).toBe(1);
  expect(once.cells.map(({ status }) => status)).toEqual(['ok', 'ok']);
  const terminal = { color: false, width: 400, verbose: false };
  const said = ['1 void trial measured again', 'beta-http-a0.5-d1-s50'];
  const details = ['beta-http-a0.5-d1-s50, round 3, was void (reply-bursts): replies came in bursts'];
  for (const output of [renderTerminal(once, terminal), renderMarkdown(once), renderHtml(once, input.trials)])
    for (const words of said) expect(output.replaceAll('\\', '')).toContain(words);
  const verbose = renderTerminal(once, { ...terminal, verbose: true });
  for (const output of [verbose, renderMarkdown(once), renderHtml(once, input.trials)])
    for (const words of details) expect(output.replaceAll('\\', '')).toContain(words);
});

test('more voids than one in five rounds void the cell, though each passed when it was measured again', () => {
  const often = summarize(runWithVoids(1, 4));
  expect(often.cells.map(({ status }) => status)).toEqual(['ok', 'void']);
  expect(often.cells[1]).toMatchObject({
    reason: expect.stringContaining('2 trials of the cell were void, and 1 of 6 may be'),
    trials: [
      { status: 'held' },
      { status: 'void', discardedTrials: [{ file: 'discarded/beta-r1-1.json' }] },
      {},
      {},
      {},
      {},
    ],
  });
  expect(often.comparisons).toEqual([]);
  expect(often.run.voidsMeasuredAgain).toBe(2);

  // A repeat that was void too keeps its own reason.
  const input = runWithVoids(1, 4);
  const trials = input.trials.map((trial) =>
    trial.cellId.startsWith('beta') && trial.round === 4
      ? voidTrial(
          { cell: present(input.plan.cells[1]), round: 4 },
          { discardedTrials: trial.discardedTrials },
        )
      : trial,
  );
  expect(summarize({ ...input, trials }).cells[1]).toMatchObject({
    reason: expect.stringContaining('round 5: a transfer was applied twice (4 of 6 trials passed)'),
  });
});

test('the first line counts the voids, and says that every audit passed only when each did', () => {
  const headlineFor = (...again: readonly number[]) => answerOf(summarize(runWithVoids(...again))).headline;
  expect(headlineFor()).toBe('FAIR: 2 targets measured under the same rules, and every audit passed');
  expect(headlineFor(2)).toBe('FAIR: 2 targets; 1 of 13 trials void');
  expect(headlineFor(1, 4)).toBe('VALID: 1 target; 2 of 14 trials void');
  expect(summarize(runWithVoids(1, 4)).verdict).toMatchObject({
    fair: true,
    label: 'VALID',
    targets: 1,
    trials: { audited: 14, void: 2 },
  });
});

test('one target is valid, not fair: nothing is compared', () => {
  const alone = summarize(
    runOf(planOf({ targets: ['alpha-http'] }), (cell, round) => passedTrial({ cell, round, applied })),
  );
  const headline = 'VALID: 1 target measured, and every audit passed';
  expect(answerOf(alone).headline).toBe(headline);
  expect(renderMarkdown(alone)).toContain(headline);
  expect(renderHtml(alone, [])).toContain(headline);
  expect(renderTerminal(alone, { color: false, width: 100, verbose: false })).toContain(headline);
});
