import { expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, runOf } from '@fair-bench/analysis/test-support';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });
const terminal = { color: false, width: 200, verbose: false };
/** Windows of 2 s. */
const runWith = (perHour: number | null) =>
  summarize(
    runOf(
      {
        ...plan,
        targets: plan.targets.map((one) =>
          one.target === 'alpha-http' && perHour !== null
            ? { ...one, price: { perHour, currency: 'EUR' } }
            : one,
        ),
      },
      (cell, round) => passedTrial({ cell, round, applied: 2000 }),
    ),
  );

test('a target with a price has the cost of a million operations at its throughput', () => {
  const { cells } = runWith(7.2);
  const [alpha, beta] = cells;
  // 1000 per second, 7.2 by the hour: 500 hours of 3.6 million each would cost 3600.
  expect(alpha?.status === 'ok' && alpha.tps.mean).toBeCloseTo(1000);
  expect(alpha?.status === 'ok' && alpha.costPerMillion).toEqual({ amount: 2, currency: 'EUR' });
  expect(beta).not.toHaveProperty('costPerMillion');
});

test('every output shows it beside the throughput, and none where nobody named a price', () => {
  const outputs = (perHour: number | null) => {
    const summary = runWith(perHour);
    return [renderMarkdown(summary), renderTerminal(summary, terminal), renderHtml(summary, [])];
  };
  for (const text of outputs(7.2)) expect(text).toMatch(/cost \/ million[\s\S]*2 EUR/);
  for (const text of outputs(null)) expect(text).not.toContain('cost / million');
});
