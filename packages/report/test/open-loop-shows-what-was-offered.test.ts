import { stripVTControlCharacters } from 'node:util';
import { summarize } from '@fair-bench/analysis';
import type { SummaryInput } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';
import { passedTrial, histogramOf, planOf, resultOf, runOf } from '@fair-bench/analysis/test-support';

/** Of 2 s each; the system does 150 a second at most. */
const rates = [100, 150, 200];
const possiblePerSecond = 150;

function sweptRun(): SummaryInput {
  const plan = planOf({ targets: ['alpha-http'] });
  const cells = rates.flatMap((ratePerSecond) =>
    plan.cells.map((cell) => ({ ...cell, id: `${cell.id}-q${ratePerSecond}`, ratePerSecond })),
  );
  const rated = { ...plan, cells, rounds: plan.rounds.map(() => cells.map(({ id }) => id)) };
  return runOf(rated, (cell, round) => {
    const due = 2 * (cell.ratePerSecond ?? 0);
    const applied = Math.min(due, 2 * possiblePerSecond);
    const unfinished = histogramOf(Array.from({ length: due - applied }, () => 900_000));
    const openLoop = { due, started: applied, neverStarted: due - applied, unfinished };
    const result = resultOf({ cell, round, applied });
    // A declined operation is done too.
    const window = { ...result.window, applied: applied - 10, declined: { 'no-stock': 10 } };
    return passedTrial({ cell, round, applied }, { result: { ...result, window, openLoop } });
  });
}

test('a rate that was not sustained says so, and its percentiles are lower bounds in every output', () => {
  const summary = summarize(sweptRun());
  const [sustained, , overloaded] = summary.cells;
  expect(sustained).toMatchObject({
    openLoop: { offeredPerSecond: 100, achievedPerSecond: 100, held: true },
  });
  expect(overloaded).toMatchObject({
    openLoop: { offeredPerSecond: 200, startedPerSecond: 150, achievedPerSecond: 150, held: false },
    // Three applied of 3 ms at most beside a hundred that waited 0.9 s in each trial.
    latencyMs: { p50: expect.closeTo(900, -1), p99: expect.closeTo(900, -1) },
  });
  const terminal = stripVTControlCharacters(
    renderTerminal(summary, { color: false, width: 250, verbose: true }),
  );
  for (const [output, times] of [
    [terminal, 1],
    [renderMarkdown(summary), 1],
    // In a table, in a chart, and in its label for screen readers.
    [renderHtml(summary, []), 3],
  ] as const) {
    expect(output).toContain('offered /s');
    // p50 and p99.
    expect(output.match(/≥ 9\d\d/g)).toHaveLength(2 * times);
    expect(output).toContain('percentiles are lower bounds');
  }
});

test('a sweep of the rate shows the highest sustained one', () => {
  const summary = summarize(sweptRun());
  expect(summary.sweeps?.[0]?.curves[0]).toMatchObject({ rateHeld: 150 });
  for (const output of [
    renderTerminal(summary, { color: false, width: 250, verbose: true }),
    renderMarkdown(summary),
  ]) {
    expect(output).toContain('highest sustained rate 150 per second');
  }
});
