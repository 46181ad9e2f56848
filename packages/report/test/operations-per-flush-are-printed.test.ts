import { expect, test } from 'vitest';
import { flushesOf, summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, runOf, soundEvidence } from '@fair-bench/analysis/test-support';
import { renderMarkdown } from '../src/markdown.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });
const flushesBy = (flushes: (target: string, round: number) => number | null) =>
  summarize(
    runOf(plan, (cell, round) => {
      const seen = flushes(cell.target, round);
      return passedTrial({ cell, round, applied: 1000 }, seen === null ? {} : { flushes: seen });
    }),
  );
const perFlush = (summary: ReturnType<typeof flushesBy>) =>
  summary.cells.map((cell) => (cell.status === 'ok' ? cell.operationsPerFlush : null));

test('each cell says how many operations share a flush, over all of its trials', () => {
  const summary = flushesBy((target) => (target === 'alpha-http' ? 1000 : 10));
  const [alone, together] = perFlush(summary);
  expect((together ?? 0) / (alone ?? 1)).toBeCloseTo(100);
  expect(renderMarkdown(summary)).toContain('| ops/flush |');
});

test('a cell with a trial that saw no flushes says nothing, and without any there is no column', () => {
  const some = flushesBy((target, round) => (target === 'alpha-http' && round === 0 ? null : 10));
  expect(perFlush(some)[0]).toBeUndefined();
  expect(perFlush(some)[1]).toBeGreaterThan(0);
  const none = flushesBy(() => null);
  expect(perFlush(none)).toEqual([undefined, undefined]);
  expect(renderMarkdown(none)).not.toContain('ops/flush');
  expect(perFlush(flushesBy(() => 0))).toEqual([undefined, undefined]);
});

test('flushes are the database’s where it counts them, otherwise the disk’s beyond those of a quiet moment', () => {
  const uncounted = { countersBefore: { commits: 0 }, countersAfter: { commits: 10 } };
  const evidence = {
    ...soundEvidence,
    writtenBytes: null,
    storage: { fsyncPerSecond: 5000, deviceFlushes: 300, quietFlushes: 100 },
    countersBefore: { flushes: 5 },
    countersAfter: { flushes: 47 },
  };
  expect(flushesOf(evidence)).toBe(42);
  expect(flushesOf({ ...evidence, ...uncounted })).toBe(200);
  expect(flushesOf({ ...evidence, ...uncounted, storage: null })).toBe(null);
});
