import { describe, expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, planOf, runOf } from '@fair-bench/analysis/test-support';
import type { PassedTrial } from '@fair-bench/results';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';

const plan = planOf({ targets: ['alpha-embedded', 'beta-http'] });
type EngineFiles = NonNullable<PassedTrial['engineFiles']>;

const known: EngineFiles = {
  windowWrittenBytes: 4000,
  windowDataBytes: 1000,
  filesBytes: 3000,
  dataBytes: 2000,
  compaction: { status: 'done', filesBytes: 2500 },
};

function summaryWith(alpha: Partial<PassedTrial>) {
  return summarize(
    runOf(plan, (cell, round) => {
      const trial = passedTrial({ cell, round, applied: 1000 });
      return cell.target === 'alpha-embedded' ? { ...trial, ...alpha } : trial;
    }),
  );
}

function cellsOf(summary: ReturnType<typeof summaryWith>) {
  return summary.cells.flatMap((cell) => (cell.status === 'ok' ? cell : []));
}

describe('the amplification of an engine in the load client', () => {
  test('is a ratio of bytes, in the summary, the text and the page; a server has none', () => {
    const summary = summaryWith({ engineFiles: known });
    const [alpha, beta] = cellsOf(summary).toSorted((a, b) => a.target.localeCompare(b.target));
    expect(alpha?.amplification).toMatchObject({
      write: { mean: 4 },
      space: { mean: 1.5 },
      spaceCompacted: { mean: 1.25 },
    });
    expect(beta?.amplification).toBeUndefined();
    expect(renderMarkdown(summary)).toMatch(/write × \| +space × \| +compacted × \|/);
    expect(renderMarkdown(summary)).toContain('bytes that the process of the engine wrote to disks');
    expect(renderHtml(summary, [])).toContain('compacted ×');
  });

  test.each([
    { what: 'no compaction', files: { compaction: { status: 'none' } }, write: 4, compacted: null },
    {
      what: 'a compaction that failed',
      files: { compaction: { status: 'failed', reason: 'busy' } },
      write: 4,
      compacted: null,
    },
    { what: 'no counter of writes', files: { windowWrittenBytes: null }, write: null, compacted: 1.25 },
    { what: 'nothing written', files: { windowDataBytes: 0 }, write: null, compacted: 1.25 },
    { what: 'unknown data', files: { windowDataBytes: null, dataBytes: null }, write: null, compacted: null },
  ] as const)('is null where it was not observed: $what', ({ files, write, compacted }) => {
    const [alpha] = cellsOf(summaryWith({ engineFiles: { ...known, ...files } })).filter(
      ({ target }) => target === 'alpha-embedded',
    );
    expect(alpha?.amplification?.write?.mean ?? null).toBe(write);
    expect(alpha?.amplification?.spaceCompacted?.mean ?? null).toBe(compacted);
  });

  test('has no columns where nothing is in the load client', () => {
    expect(renderMarkdown(summaryWith({}))).not.toContain('space ×');
  });
});

describe('a window of many seconds', () => {
  const [cell] = plan.cells;
  if (cell === undefined) throw new Error('the plan has a cell');
  const { result } = passedTrial({ cell, round: 0, applied: 1000 });
  /** Ten slots a second; in the fifth second hardly anything was applied. */
  const slots = (seconds: number): number[] =>
    Array.from({ length: seconds * 10 }, (_, slot) => (Math.floor(slot / 10) === 4 ? 1 : 50));

  test('has p99.9 and its worst second as columns', () => {
    const summary = summaryWith({ result: { ...result, appliedSlots: slots(12) } });
    const alpha = cellsOf(summary).find(({ target }) => target === 'alpha-embedded');
    expect(alpha?.worstSecondTps).toBe(10);
    expect(renderMarkdown(summary)).toMatch(/p99\.9 ms \| +worst second TPS \|/);
  });

  test('a shorter one has neither', () => {
    const summary = summaryWith({ result: { ...result, appliedSlots: slots(9) } });
    expect(cellsOf(summary).map(({ worstSecondTps }) => worstSecondTps)).toEqual([undefined, undefined]);
    expect(renderMarkdown(summary)).not.toContain('worst second');
  });
});
