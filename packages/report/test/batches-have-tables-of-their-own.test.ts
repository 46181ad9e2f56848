import { describe, expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, runOf } from '@fair-bench/analysis/test-support';
import type { RunPlan } from '@fair-bench/results';
import { answerOf } from '../src/answer.ts';
import { rankingsOf } from '../src/ranking.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { byCommits } from '../src/sections/axes.ts';
import { renderTerminal } from '../src/terminal.ts';

/** Each target at depth 1, and in batches of 100 where the plan says depth 8. */
const single = planOf({ targets: ['alpha-http', 'beta-http'] });
const both = planOf({ targets: ['alpha-http', 'beta-http'], depths: [1, 8] });
const batched: RunPlan = {
  ...both,
  cells: both.cells.map((cell) => (cell.depth === 8 ? { ...cell, depth: 1, batch: 100 } : cell)),
};

const summaryOf = (plan: RunPlan) =>
  summarize(
    runOf(plan, (cell, round) => {
      const faster = cell.target === 'beta-http' ? 2 : 1;
      return passedTrial({ cell, round, applied: 1000 * cell.batch * faster + 10 * round });
    }),
  );

describe('commits of one operation and of a hundred', () => {
  const summary = summaryOf(batched);

  test('are compared each with its like, in tables of their own', () => {
    expect(summary.comparisons.map(({ batch }) => batch).toSorted((a, b) => a - b)).toEqual([1, 100]);
    const text = renderMarkdown(summary);
    for (const title of ['Results', 'Comparisons']) {
      expect(text).toContain(`## ${title}: durable per operation`);
      expect(text).toContain(`## ${title}: durable per batch of 100`);
    }
  });

  test('stand in tables of their own on the first screen, whose titles say what a commit holds', () => {
    const tables = rankingsOf(summary);
    expect(tables.map(({ title }) => title)).toEqual(['Durable per operation', 'Durable per batch of 100']);
    for (const { table } of tables) {
      expect(table.columns.map(({ head }) => head)).not.toContain('batch');
      expect(table.rows.map((row) => row[0])).toEqual(['beta-http', 'alpha-http']);
      expect(table.rows[0]?.join(' ')).toMatch(/ (?:2\.0|1\.9)\d × \[/);
    }
    const text = renderTerminal(summary, { color: false, width: 100, verbose: false });
    expect(text.indexOf('Durable per operation\n')).toBeLessThan(text.indexOf('Durable per batch of 100\n'));
    expect(text).toContain('Durable per operation\n');
  });

  test('are in no sentence together', () => {
    const { findings } = answerOf(summary);
    expect(findings.filter((one) => one.startsWith('durable per batch of 100: beta-http'))).toHaveLength(1);
    expect(findings.filter((one) => one.startsWith('durable per operation: beta-http'))).toHaveLength(1);
    expect(findings.join(' ')).not.toMatch(/combinations/);
  });

  test('make a line of the parity table, and break it where targets differ', () => {
    expect(summary.parity.filter(({ rule }) => rule === 'F52')).toMatchObject([{ holds: true }]);
    const differing = summaryOf({
      ...batched,
      cells: batched.cells.filter(({ target, batch }) => target === 'alpha-http' || batch === 1),
    });
    expect(differing.parity.filter(({ rule }) => rule === 'F52')).toMatchObject([{ holds: false }]);
    expect(differing.verdict.fair).toBe(false);
  });
});

test('commits that are not durable have tables of their own, after the durable ones', () => {
  const items = [
    { durability: 'async', batch: 1 },
    { durability: 'durable', batch: 100 },
    { durability: 'async', batch: 100 },
    { durability: 'durable', batch: 1 },
  ] as const;
  expect(byCommits(items).map(({ title }) => title)).toEqual([
    ': durable per operation',
    ': durable per batch of 100',
    ': not durable',
    ': not durable, in batches of 100',
  ]);
  expect(byCommits(items.slice(3))).toEqual([{ title: '', items: items.slice(3) }]);
});

test('a run without batches says nothing of them', () => {
  const summary = summaryOf(single);
  expect(summary.parity.map(({ rule }) => rule)).not.toContain('F52');
  expect(renderMarkdown(summary)).not.toMatch(/batch/);
});
