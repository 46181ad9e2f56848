import { summarize } from '@fair-bench/analysis';
import type { RunSummary } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { answerOf } from '../src/answer.ts';
import { rankingKeyOf, rankingsOf } from '../src/ranking.ts';
import { explanationPage } from '../src/html/sections/explanation.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { architectureSentences, describeModel } from '../src/sections/explanation.ts';
import { renderTerminal } from '../src/terminal.ts';
import { passedTrial, outcomeOf, planOf, runOf } from '@fair-bench/analysis/test-support';
import { claim, explanation, largeRun } from '../src/test-support/index.ts';

const short = { color: false, width: 100, verbose: false };

/** Throughput of each target in rounds that lie close together. */
function summaryOf(tps: Readonly<Record<string, number>>, depths: readonly number[] = [8]): RunSummary {
  const plan = planOf({ targets: Object.keys(tps), depths });
  return summarize(
    runOf(plan, (cell, round) =>
      passedTrial({ cell, round, applied: (tps[cell.target] ?? 0) * cell.depth * 2 + round }),
    ),
  );
}

test('the terminal ends with at most 40 lines of at most 100 columns, also after 48 cells', () => {
  const lines = renderTerminal(summarize(largeRun()), short).trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(15);
  // One more says where the report lies.
  expect(lines.length).toBeLessThanOrEqual(39);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  const rest = lines.find((line) => /more rows: --verbose/.test(line));
  expect(rest).toMatch(/^… and \d+ more rows/);
});

test('cells stand sorted by throughput within a combination, each with its ratio to the next', () => {
  const [{ table } = { table: undefined }] = rankingsOf(
    summaryOf({ 'slow-http': 1000, 'fast-http': 4000, 'middle-http': 2000 }),
  );
  const column = (head: string): readonly string[] => {
    const at = table?.columns.findIndex((one) => one.head === head) ?? -1;
    return table?.rows.map((row) => row[at] ?? '') ?? [];
  };
  expect(column('target')).toEqual(['fast-http', 'middle-http', 'slow-http']);
  const [first, second, last] = column('times the next');
  expect(first).toMatch(/^2\.00 × \[/);
  expect(second).toMatch(/^2\.00 × \[/);
  expect(last).toBe('');
});

test('a fair run begins with one plain sentence; one that is not fair, or of several combinations, with its verdict', () => {
  const fair = summaryOf({ 'slow-http': 1000, 'fast-http': 4000, 'middle-http': 2000 });
  const sentence =
    /^fast-http, the fastest of 3 targets here, did 2\.00 × \(95 %: [\d.]+ to [\d.]+\) the operations of middle-http, the second\.$/;
  expect(answerOf(fair).plain).toMatch(sentence);
  expect(renderTerminal(fair, short).split('\n\n')[0]?.replaceAll(/\n\s*/g, ' ')).toMatch(sentence);
  expect(renderMarkdown(fair)).toContain('did 2.00 ×');
  expect(answerOf(summaryOf({ 'a-http': 1000, 'b-http': 1000 })).plain).toMatch(
    /^\S+ and \S+ do not differ significantly here: 1\.00 × /,
  );
  expect(answerOf({ ...fair, verdict: { ...fair.verdict, fair: false } }).plain).toBeNull();
  expect(answerOf(summaryOf({ 'a-http': 1000, 'b-http': 2000 }, [1, 8])).plain).toBeNull();
  expect(answerOf(summaryOf({ 'a-http': 1000 })).plain).toBeNull();
  for (const run of [{ faultsShareMax: 0.5 }, { mode: 'optimized' }, { interrupted: true }] as const)
    expect(answerOf({ ...fair, run: { ...fair.run, ...run } }).plain).toBeNull();
  const below = fair.comparisons.map((one) => ({ ...one, belowNoiseFloor: true as const }));
  expect(answerOf({ ...fair, comparisons: below }).plain).toContain('do not differ significantly');
  const trials = { audited: 15, void: 1 };
  expect(answerOf({ ...fair, verdict: { ...fair.verdict, trials } }).plain).toBeNull();
  const asynchronous = fair.cells.map((cell) => ({ ...cell, durability: 'async' as const }));
  expect(answerOf({ ...fair, cells: asynchronous }).plain).toBeNull();
});

test('what is the same in all rows stands below the table, what differs has a column', () => {
  const heads = (summary: RunSummary): readonly string[] =>
    rankingsOf(summary).flatMap(({ table }) => table.columns.map(({ head }) => head));
  const one = summaryOf({ 'slow-http': 1000, 'fast-http': 4000 });
  expect(heads(one)[0]).toBe('target');
  expect(rankingKeyOf(one)).toMatch(/^All rows: alpha [\d.]+, depth 8\. TPS: /);
  const two = summaryOf({ 'slow-http': 1000, 'fast-http': 4000 }, [1, 8]);
  expect(heads(two).slice(0, 2)).toEqual(['depth', 'target']);
  expect(rankingKeyOf(two)).toMatch(/^All rows: alpha [\d.]+\. TPS: /);
});

test('what a user accepted beyond the defaults stands in the verdict', () => {
  const summary = summaryOf({ 'a-http': 1000, 'b-http': 2000 });
  const answered = (accepted: Partial<RunSummary['run']>) =>
    answerOf({ ...summary, run: { ...summary.run, ...accepted } });
  expect(answered({})).toMatchObject({
    tone: 'good',
    headline: expect.stringMatching(/every audit passed$/),
  });
  expect(answered({ faultsShareMax: 0.5, inDoubtShareMax: 0.02 })).toMatchObject({
    tone: 'neutral',
    headline: expect.stringMatching(/; up to 50 % of faults and 2 % of operations in doubt accepted$/),
  });
});

test('a run with several numbers of sessions says what one session has', () => {
  const run = summaryOf({ 'slow-http': 1000, 'fast-http': 4000 }, [1, 8]);
  const cells = run.cells.map((cell) => ({ ...cell, sessions: cell.depth }));
  const rows = (summary: RunSummary): unknown[] =>
    rankingsOf(summary).flatMap(({ table: { columns, rows: all } }) => {
      const at = columns.findIndex(({ head }) => head === 'per session');
      return all.map((row) => (at === -1 ? null : row[at]));
    });
  // In all, eight sessions have eight times as much.
  expect(rows({ ...run, cells })).toEqual(['4,001', '1,001', '4,000', '1,000']);
  expect(rows(run)).toEqual([null, null, null, null]);
  const optimized: RunSummary = { ...run, cells, run: { ...run.run, mode: 'optimized' } };
  expect(rows(optimized)).toEqual([null, null, null, null]);
});

test('findings name the clearest difference first, and say so without one', () => {
  const { findings } = answerOf(
    summaryOf({ 'slow-http': 1000, 'fast-http': 4000, 'equal-http': 1000 }, [1, 8]),
  );
  expect(findings).toHaveLength(3);
  expect(findings[0]).toMatch(/^fast-http is 4\.00 to 4\.00 × (slow|equal)-http, in all 2 combinations\.$/);
  expect(findings[2]).toBe('equal-http and slow-http do not differ significantly.');
});

test('the answer of an explanation is the gap and its factors, never NOT FAIR', () => {
  const { verdict, run } = summarize(largeRun());
  const broken = { rule: 'F5', subject: 'depth', values: {}, message: 'depth 1 and 64' };
  const summary: RunSummary = {
    ...summarize(largeRun()),
    run: { ...run, mode: 'explain' },
    verdict: { ...verdict, fair: false, label: 'NOT FAIR', differences: [broken] },
    explanation,
  };
  const answer = answerOf(summary);
  expect(answer.headline).toBe('gamma-sdk is 12.6 × [11.9, 13.3] as fast as alpha-drizzle');
  expect(answer.reasons).toEqual(['The two ends differ on purpose in F5 (FAIR-BENCHMARK.md).']);
  expect(answer.findings).toEqual([
    'The step between the systems differs from place to place: 1.10 × [1.02, 1.19] at depth 1; 1.40 × [1.29, 1.52] at depth 64. It contains data access (stored procedure → engine), client library (alpha-js → gamma SDK).',
    'Depth (1 → 64): 3.10 × [2.91, 3.29] on average; 2.60 × with architecture alpha, 3.30 × with gamma.',
    'Data access (ORM → stored procedure): 2.10 × [1.97, 2.23].',
    'Hop (RPC server → none): 1.35 × [1.27, 1.43].',
    'Client (node → native): 1.22 × [1.15, 1.29].',
    'Contention (alpha 0 → alpha 1.5): 0.840 × [0.790, 0.890].',
  ]);
  expect(renderTerminal(summary, short)).not.toContain('NOT FAIR');
});

test('the step between the systems says what it contains, and there is one only where its places do not differ', () => {
  const summary: RunSummary = { ...summarize(largeRun()), explanation };
  for (const text of [
    renderTerminal(summary, { ...short, width: 600, verbose: true }),
    renderMarkdown(summary),
    String(explanationPage(summary)).replaceAll(/\s+/g, ' '),
  ]) {
    expect(text).toContain('The step between the systems differs from place to place');
    expect(text).toContain('It contains data access (stored procedure → engine)');
    expect(text).toContain('2.60 × with architecture alpha, 3.30 × with gamma');
  }
  expect(renderMarkdown(summary)).toContain('settings that only one has (alpha: isolation)');
  const { architecture } = explanation;
  if (architecture === null) throw new Error('the example has an architecture');
  const same = { ...explanation, architecture: { ...architecture, differs: false } };
  expect(architectureSentences(same).join()).toContain('1.24 × [1.16, 1.32] on average');
  const once = {
    ...explanation,
    architecture: { ...architecture, corners: architecture.corners.slice(0, 1) },
  };
  expect(architectureSentences(once).join()).toContain(
    'Architecture, with every setting equal: 1.10 × [1.02, 1.19].',
  );
  expect(architectureSentences({ ...explanation, architecture: null })).toEqual([]);
});

test('what was measured of a gap says how far it answers', () => {
  const { model } = explanation;
  const withModel = (changes: Partial<typeof model>): string =>
    describeModel({ ...explanation, model: { ...model, ...changes } }).join(' ');
  expect(withModel({})).toContain(
    '24 of 24 possible combinations measured; each effect is the mean over every place',
  );
  expect(withModel({ cellsMeasured: 20 })).toContain('a model of main effects and two-factor interactions');
  const poor: typeof model.lackOfFit = { ratio: 9, degrees: [2, 50], pValue: 0.0004 };
  expect(withModel({ cellsMeasured: 20, lackOfFit: poor })).toContain(
    'does not fit well (lack of fit: p 0.00040)',
  );
  const merged = [
    { names: ['hop', 'client'], reason: 'the budget does not hold the cells that tell them apart' },
  ];
  expect(withModel({ merged })).toContain('hop and client count as one factor: the budget');
  const few = {
    ...explanation,
    factors: [],
    interactions: [],
    model: { ...model, terms: 5, termsMissing: 13 },
  };
  expect(describeModel(few).join(' ')).toContain('too few to tell the 18 effects and interactions apart');
});

test('the answer of a claim is its verdict', () => {
  const answer = answerOf({ ...summarize(largeRun()), claim });
  expect(answer.headline).toBe(
    'Claimed about 14 × on a host of 32 threads; here, in this run on 2 cores (Example CPU at 3.0 GHz): 12.6 × [11.9, 13.3], supported',
  );
  expect(answer.reasons).toEqual([
    '“Gamma is 14 times as fast as Alpha.”',
    'The whole interval is above 11.2 × (0.8 of the claim) and below 17.5 × (1.25 of the claim). The claim has 1 statement: 1 supported.',
    'Conditions: windows took 2 s here, 300 s in the claim.',
  ]);
});

test('an unavailable target takes one line, and no row of a table', () => {
  const plan = planOf({ targets: ['alpha-http', 'gone-http'], depths: [1, 8] });
  const run = runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 1000 + round }));
  const unavailable = { reason: 'no binary here', remedy: 'install one' };
  const summary = summarize({
    ...run,
    targets: [outcomeOf('alpha-http'), outcomeOf('gone-http', { facts: null, unavailable })],
    trials: run.trials.filter(({ cellId }) => cellId.startsWith('alpha')),
  });
  const lines = renderTerminal(summary, short).split('\n');
  expect(lines.filter((line) => line.includes('gone-http'))).toEqual([
    'Not measured: gone-http: unavailable: no binary here. Remedy: install one',
  ]);
});
