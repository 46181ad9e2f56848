import { expect, test } from 'vitest';
import { type IndexedRun, indexedRunOf } from '@fair-bench/results';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, runOf } from '@fair-bench/analysis/test-support';
import { answerOf } from '../src/answer.ts';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });
const input = runOf(plan, (cell, round) =>
  passedTrial({ cell, round, applied: (cell.target === 'alpha-http' ? 2000 : 5000) + round }),
);
const screen = { color: false, width: 100, verbose: false };

/** Runs in which both targets are off alike, or one only. */
function earlier(factors: readonly number[], alike: boolean): readonly IndexedRun[] {
  const run = indexedRunOf('before', 0, summarize(input));
  return factors.map((factor, index) => ({
    ...run,
    folder: `before-${index}`,
    cells: run.cells.map((cell) => ({
      ...cell,
      trials: cell.trials.map((tps) => (alike || cell.target === 'alpha-http' ? tps * factor : tps)),
    })),
  }));
}

test('a first run assumes what runs differ by, and says so', () => {
  const summary = summarize({ ...input, earlierRuns: [] });
  expect(renderMarkdown(summary)).toMatch(/beta-http \| 2,501 \| ± \S+ \| ± 799 \\\* \|/);
  const text = renderTerminal(summary, screen);
  expect(text).toContain('(next run: [1.89, 3.30] *) alpha-http.');
  // e^(1.96 × √2 × 0.1) is 1.319, of 2,501 and of 2.5.
  expect(text).toMatch(/target +TPS +± this run +± next run/);
  expect(text).toMatch(/beta-http +2,501 +\S+ % +31\.9 % \*/);
  expect(text.replaceAll(/\s+/g, ' ')).toContain('(* assumed: a standard deviation of 10 %)');
});

test('four runs tell it, of the throughputs and of the ratio, in every output', () => {
  const factors = [0.9, 1, 1.1, 1];
  const summary = summarize({ ...input, earlierRuns: earlier(factors, false) });
  const text = renderTerminal(summary, screen);
  expect(text).toMatch(/beta-http +2,501 +\S+ % +\S+ % +2\.50 × /);
  // Student's 3.18 at 3 degrees × √2 × the deviation of ln 0.9, 0, ln 1.1, 0, which is 0.0820: a factor of 1.446.
  expect(text).toMatch(/alpha-http +1,001 +\S+ % +44\.6 %/);
  expect(text.replaceAll(/\s+/g, ' ')).toContain('next run: with the deviation between 4 earlier runs here');
  expect(text).not.toContain('assumed');
  expect(answerOf(summary).findings).toEqual([
    expect.stringMatching(
      /^beta-http is 2\.50 × \[2\.50, 2\.50\] \(next run: \[1\.73, 3\.61\]\) alpha-http\.$/,
    ),
  ]);
  const [comparison] = summary.comparisons;
  expect(renderMarkdown(summary)).toMatch(/\| next run +\|/);
  expect(comparison?.anyRun).toMatchObject({ runs: 4 });
  const html = renderHtml(summary, input.trials);
  expect(html).toContain('whisker dark any');
  expect(html).toContain('next run low');
});

test('what slows both alike widens the throughputs, and not the ratio', () => {
  const summary = summarize({ ...input, earlierRuns: earlier([0.9, 1, 1.1, 1], true) });
  const [comparison] = summary.comparisons;
  expect(comparison?.anyRun?.deviation).toBeCloseTo(0, 9);
  const { ratio } = comparison ?? {};
  expect(comparison?.anyRun?.ci95).toEqual([ratio, ratio].map((one) => expect.closeTo(one ?? 0, 9)));
  expect(summary.cells.map((cell) => cell.status === 'ok' && cell.tps.anyRun?.deviation)).toEqual(
    [0.082, 0.082].map((deviation) => expect.closeTo(deviation, 3)),
  );
});

test('without earlier runs in its artifacts a run has no such column', () => {
  const text = renderTerminal(summarize(input), { ...screen, verbose: true, width: 160 });
  expect(text).not.toContain('next run');
});
