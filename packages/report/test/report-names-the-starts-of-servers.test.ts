import { expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { factsOf, passedTrial, planOf, runOf } from '@fair-bench/analysis/test-support';
import { renderMarkdown } from '../src/markdown.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http'], rounds: 3 });

/** A run of three rounds in which alpha's server started anew for each, and beta's at these rounds. */
function runWith(startOf: (target: string, round: number) => number, urls: readonly string[] = []) {
  return summarize(
    runOf(plan, (cell, round) => {
      const provider = urls.includes(cell.target) ? 'url' : 'embedded';
      const facts = factsOf(cell.target.slice(0, -'-http'.length), { provider });
      const deployment = startOf(cell.target, round);
      return passedTrial({ cell, round, applied: 1000 + round, facts }, { deployment });
    }),
  );
}

test('each cell has its number of starts, and intervals over several contain what differs', () => {
  const summary = runWith((_target, round) => round + 1);
  expect(summary.cells.map((cell) => cell.status === 'ok' && cell.deployments)).toEqual([3, 3]);
  const text = renderMarkdown(summary);
  expect(text).toContain('intervals contain what differs from start to start.');
  expect(text).toMatch(/\| alpha-http +\| +\S+ +\| ± \S+ +\| +3 \|/);
});

test('a target given by URL has one start, and is the exception', () => {
  const summary = runWith((target, round) => (target === 'beta-http' ? 1 : round + 1), ['beta-http']);
  expect(renderMarkdown(summary)).toContain(
    'intervals contain what differs from start to start, except those of one start (beta-http, given by URL).',
  );
});

test('with one start of every server the intervals are said to leave it out', () => {
  expect(renderMarkdown(runWith(() => 1))).toContain(
    'One start of each server (alpha-http, beta-http): intervals leave out what differs from start to start.',
  );
});
