import { describe, expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, runOf } from '@fair-bench/analysis/test-support';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });

/** Of 1,000 operations, 7 µs each. */
const pooled = { client: 30_000, appServer: null, pooler: 7_000, database: 50_000 };
const summaryWith = (cpuUs: typeof pooled | null) =>
  summarize(
    runOf(plan, (cell, round) => {
      const trial = passedTrial({ cell, round, applied: 1000 });
      return cell.target === 'alpha-http' && cpuUs !== null ? { ...trial, cpuUs } : trial;
    }),
  );

describe('the CPU time of a pooler', () => {
  test('stands between application server and database where a target has one', () => {
    const summary = summaryWith(pooled);
    const cell = summary.cells.find(({ target }) => target === 'alpha-http');
    expect(cell).toMatchObject({
      cpuUsPerTxn: { pooler: 7 },
      overTrials: { cpuUsPerTxn: { pooler: { mean: 7 } } },
    });
    expect(renderMarkdown(summary)).toMatch(/CPU µs\/txn client \| +app \| +pooler \| +db \|/);
    expect(renderHtml(summary, [])).toContain('pooler 7 µs');
    // Servers are compared with all of their processes.
    expect(summary.comparisons[0]?.serverCpu?.ratio).toBeCloseTo(150 / 57, 6);
  });

  test('has no column where no target has one', () => {
    const summary = summaryWith(null);
    expect(renderMarkdown(summary)).not.toContain('pooler');
    expect(renderHtml(summary, [])).not.toContain('pooler');
  });
});
