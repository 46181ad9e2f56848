import { summarize } from '@fair-bench/analysis';
import { type IsolationFinding, noAnomalies } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';
import { outcomeOf, passedTrial, planOf, runOf } from '@fair-bench/analysis/test-support';

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });
const seen: IsolationFinding = {
  operations: 1000,
  anomalies: { ...noAnomalies, 'lost-update': 12, 'G2-item': 3 },
  examples: [],
};

function summaryOf(isolation: IsolationFinding | null) {
  const run = runOf(plan, (cell, round) => {
    const trial = passedTrial({ cell, round, applied: 1000 });
    return isolation === null || cell.target !== 'alpha-http'
      ? trial
      : { ...trial, audit: { ...trial.audit, isolation } };
  });
  return summarize({ ...run, targets: plan.targets.map(({ target }) => outcomeOf(target)) });
}

const plain = { color: false, width: 200, verbose: false };

test('the first screen says what the run saw of a target, and nothing of one that it did not see', () => {
  const text = renderTerminal(summaryOf(seen), plain);
  expect(text).toContain(
    'alpha-http: read committed; per million operations 12,000 lost update, 3,000 G2-item',
  );
  expect(text).not.toContain('beta-http: read committed');
  const clean = { ...seen, anomalies: { ...seen.anomalies, 'lost-update': 0, 'G2-item': 0 } };
  expect(renderTerminal(summaryOf(clean), plain)).toContain(
    'alpha-http: read committed; per million operations no anomaly',
  );
});

test('the report has a table of all targets, with what their level forbids', () => {
  const text = renderMarkdown(summaryOf(seen));
  expect(text).toMatch(
    /alpha-http \| read committed *\| *3,000 \| 12,000 lost update<br>3,000 G2-item +\| G0, G1a, G1b, G1c, stale read +\| 50 at a time/,
  );
  expect(text).toMatch(/beta-http +\| read committed +\| +– \| – +\| .* \| not observed/);
});

test('a run that observed nothing, and knows nothing, has no such table', () => {
  expect(renderMarkdown(summaryOf(null))).not.toContain('Isolation');
});
