import { stripVTControlCharacters } from 'node:util';
import { type CellSummary, type TrialRecord, runSummarySchema } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';
import { summarize } from '@fair-bench/analysis';
import {
  factsOf,
  passedTrial,
  outcomeOf,
  planOf,
  present,
  runOf,
  unfairRunOf,
} from '@fair-bench/analysis/test-support';

const plan = planOf({ targets: ['alpha-http', 'beta-http'], alphas: [0.5, 1.5], depths: [1, 8] });
const fairRun = runOf(plan, (cell, round) =>
  passedTrial({ cell, round, applied: (cell.target === 'alpha-http' ? 2000 : 4000) + round }),
);
const unfairRun = unfairRunOf(plan);
const wide = { color: false, width: 200, verbose: true };

test('NOT FAIR stands in terminal, Markdown and JSON, with every difference', () => {
  const summary = summarize(unfairRun);
  const terminal = renderTerminal(summary, wide);
  const markdown = renderMarkdown(summary);
  expect(summary.verdict.fair).toBe(false);
  for (const output of [terminal, markdown, JSON.stringify(summary)]) {
    expect(output).toContain('NOT FAIR');
    expect(output).toContain('beta-http has async');
    expect(output).toContain('beta-http has off');
  }
  // It opens and closes what the terminal shows.
  expect(terminal.split('\n')[0]).toContain('NOT FAIR: this comparison breaks 2 rules');
  expect(terminal.trimEnd().split('\n').at(-4)).toContain('NOT FAIR: this comparison breaks 2 rules');
  expect(markdown.split('\n')[2]).toBe('> **NOT FAIR: this comparison breaks 2 rules**');
  const short = renderTerminal(summary, { ...wide, verbose: false });
  expect(short.split('\n')[0]).toContain('NOT FAIR: this comparison breaks 2 rules');
  expect(short).toContain('beta-http has async');
});

test('a fair run says FAIR and never NOT FAIR', () => {
  const summary = summarize(fairRun);
  for (const output of [renderTerminal(summary, wide), renderMarkdown(summary), JSON.stringify(summary)]) {
    expect(output).toContain('FAIR');
    expect(output).not.toContain('NOT FAIR');
  }
});

test('the summary is one of the contract and the same bytes every time, in any order of trials', () => {
  const once = summarize(fairRun);
  expect(runSummarySchema.parse(once)).toEqual(once);
  const again = summarize({ ...structuredClone(fairRun), trials: fairRun.trials.toReversed() });
  expect(JSON.stringify(again)).toBe(JSON.stringify(once));
  expect(renderMarkdown(again)).toBe(renderMarkdown(once));
  expect(renderTerminal(again, wide)).toBe(renderTerminal(once, wide));
});

test('every target that was requested is in every output, the unavailable one with reason and remedy', () => {
  const unavailable = { reason: 'no server binary', remedy: 'install one, or give --url' };
  const summary = summarize({
    ...fairRun,
    targets: [outcomeOf('alpha-http'), outcomeOf('beta-http', { facts: null, unavailable })],
    trials: fairRun.trials.filter(({ cellId }) => cellId.startsWith('alpha')),
  });
  expect(summary.cells).toHaveLength(plan.cells.length);
  expect(summary.cells.filter(({ status }) => status === 'unavailable')).toHaveLength(4);
  for (const output of [renderTerminal(summary, wide), renderMarkdown(summary), JSON.stringify(summary)]) {
    expect(output).toContain('beta-http');
    expect(output).toContain('no server binary');
    expect(output).toContain('install one, or give --url');
  }
});

describe('the numbers of a cell', () => {
  const single = planOf({ targets: ['alpha-http'] });
  const trials = runOf(single, (cell, round) => {
    const trial = passedTrial({
      cell,
      round,
      applied: [2000, 2400, 2800][round] ?? 0,
      latenciesUs: round === 2 ? [9000, 9000] : [1000, 1000],
    });
    const window = {
      ...trial.result.window,
      declined: { 'insufficient-funds': 2 },
      faults: { timeout: 1, deadlock: 3 },
      retries: 5,
    };
    const cpuUs = { ...trial.cpuUs, database: round === 1 ? null : 1 };
    return { ...trial, cpuUs, result: { ...trial.result, window } };
  });
  const cell = measured(summarize(trials).cells[0]);

  test('are a mean with its interval, latency of merged histograms, sums and peaks', () => {
    expect(cell).toMatchObject({
      status: 'ok',
      counts: {
        applied: 7200,
        declined: 6,
        faults: 12,
        retries: 15,
        declinedBy: { 'insufficient-funds': 6 },
        faultsBy: { timeout: 3, deadlock: 9 },
      },
      cpuUsPerTxn: { client: 30, appServer: 100, pooler: null, database: null },
      rssMb: { client: 90, appServer: 120, pooler: null, database: 202 },
      audit: { status: 'passed', rowsChecked: 1000, mismatches: 0, inDoubt: 0 },
      inFlight: { peak: 50 },
    });
    // 1000, 1200, 1400: mean 1200, s = 200, half width 4.302653 · 200 / √3 = 496.8275.
    expect(cell.tps.mean).toBe(1200);
    expect(cell.tps.ci95?.[0]).toBeCloseTo(1200 - 496.8275, 3);
    expect(cell.tps.ci95?.[1]).toBeCloseTo(1200 + 496.8275, 3);
    // Four of six operations took 1 ms: the median of all is 1 ms; an average of medians would be 3.67 ms.
    expect(cell.latencyMs.p50).toBeCloseTo(1, 2);
    expect(cell.latencyMs.p99).toBeCloseTo(9, 1);
    expect(cell.latencyMs.mean).toBeCloseTo(22 / 6, 6);
    expect(cell.latencyMs.max).toBe(9);
  });

  test('stand beside errors, timeouts, declines and retries', () => {
    const text = renderTerminal(summarize(trials), wide);
    const row = text.split('\n').find((line) => line.includes('alpha-http') && line.includes('1,200'));
    const texts = row?.trim().split(/ {2,}/);
    expect(texts).toEqual([
      '0.5',
      '1',
      'alpha-http',
      '1,200',
      '± 497',
      '1',
      '1',
      '9 ± 11.5',
      '9',
      '3',
      '6',
      '15',
      '30 ± 0',
      '100 ± 0',
      '–',
      '90 ± 0',
      '120 ± 0',
      '202 ± 2.48',
      'passed',
    ]);
    expect(renderMarkdown(summarize(trials))).toContain(`| ${texts?.join(' | ')} |`);
  });
});

describe('a comparison', () => {
  const pair = planOf({ targets: ['alpha-http', 'beta-http'] });
  const compared = (baseline: readonly number[], contender: readonly number[]) =>
    summarize(
      runOf({ ...pair, rounds: pair.rounds.slice(0, baseline.length) }, (cell, round) =>
        passedTrial({
          cell,
          round,
          applied: (cell.target === 'alpha-http' ? baseline : contender)[round] ?? 0,
        }),
      ),
    );

  test('has the interval of the per-round ratios, and says faster when it excludes 1', () => {
    const summary = compared([1000, 2000, 4000], [2400, 4800, 9700]);
    const [comparison] = summary.comparisons;
    // Logs of 2.4, 2.4, 2.425: mean 0.878932, s 0.005984, half width 4.302653 · s / √3 = 0.014864.
    expect(comparison?.ratio).toBeCloseTo(2.408305, 4);
    expect(comparison?.ci95?.[0]).toBeCloseTo(2.408305 * Math.exp(-0.014864), 3);
    expect(comparison?.ci95?.[1]).toBeCloseTo(2.408305 * Math.exp(0.014864), 3);
    expect(comparison?.significant).toBe(true);
    expect(renderTerminal(summary, wide)).toMatch(
      /alpha-http +beta-http +2\.41 × +\[2\.37, 2\.44\] +contender faster/,
    );
  });

  test('has the ratio of server CPU time per operation beside it, but not of a server of the user’s', () => {
    const halved = (provider: 'embedded' | 'url') =>
      summarize(
        runOf(plan, (cell, round) => {
          const facts = factsOf('any', { provider });
          const trial = passedTrial({ cell, round, applied: 1000, facts });
          if (cell.target === 'alpha-http') return trial;
          return { ...trial, cpuUs: { client: 9e9, appServer: 50_000, pooler: null, database: 25_000 } };
        }),
      );
    expect(halved('embedded').comparisons[0]?.serverCpu?.ratio).toBeCloseTo(0.5, 6);
    expect(renderTerminal(halved('embedded'), wide)).toMatch(/0\.500? × \[0\.500?, 0\.500?\]/);
    expect(halved('url').comparisons[0]).not.toHaveProperty('serverCpu');
  });

  test('says not significant when the interval holds 1, and none for a single round', () => {
    const noisy = renderTerminal(compared([1000, 1000, 1000], [900, 1000, 1300]), wide);
    expect(noisy).toContain('not significant');
    expect(noisy).not.toMatch(/contender (faster|slower)/);
    const single = compared([1000], [5000]);
    expect(single.comparisons[0]).toMatchObject({ ci95: null, significant: false });
    expect(renderMarkdown(single)).toContain('not significant');
  });
});

test('an interrupted run keeps what it measured in two rounds, lists the rest, and says so', () => {
  const order = fairRun.trials;
  const done = order.slice(0, plan.cells.length + 2);
  const [next] = order.slice(done.length);
  const cut = present(plan.cells.find(({ id }) => id === next?.cellId));
  const stopped: TrialRecord = {
    status: 'interrupted',
    cellId: cut.id,
    round: 1,
    reason: 'the run was interrupted during this trial',
    audit: null,
    facts: factsOf('alpha'),
    warnings: [],
  };
  const summary = summarize({ ...fairRun, interrupted: true, trials: [...done, stopped] });
  expect(summary.run.interrupted).toBe(true);
  const [kept, alsoKept, ...others] = summary.cells;
  expect([kept?.status, alsoKept?.status]).toEqual(['ok', 'ok']);
  expect(kept).toMatchObject({ tps: { mean: 1000.25, trials: [1000, 1000.5] } });
  expect(others.every(({ status }) => status === 'interrupted')).toBe(true);
  expect(others[0]).toMatchObject({
    reason: 'the run was interrupted: 1 of 3 trials were done',
    trials: [
      { round: 0, status: 'ok' },
      { round: 1, status: 'interrupted' },
    ],
  });
  const named = summary.comparisons.flatMap(({ baseline, contender }) => [baseline, contender]);
  expect(named).not.toContain(cut.target);
  for (const output of [renderTerminal(summary, wide), renderMarkdown(summary)]) {
    expect(output).toContain('INTERRUPTED');
  }
});

describe('the terminal', () => {
  const summary = summarize(unfairRun);

  test('has the same words with colours and without', () => {
    const painted = renderTerminal(summary, { color: true, width: 200, verbose: true });
    expect(painted).not.toBe(stripVTControlCharacters(painted));
    expect(stripVTControlCharacters(painted)).toBe(renderTerminal(summary, wide));
  });

  test('of 80 columns leaves no column out and overflows no line of a table', () => {
    const text = renderTerminal(summary, { color: false, width: 80, verbose: true });
    for (const head of ['TPS', 'p50 ms', 'p99 ms', 'errors', 'timeouts', 'declined', 'retries', 'audit']) {
      expect(text).toContain(head);
    }
    const results = text.slice(text.indexOf('Results'), text.indexOf('Again'));
    expect(results.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

test('what a system says of itself cannot break out of a Markdown table', () => {
  const facts = factsOf('alpha', { wireProtocol: 'a | b\n<script>' });
  const single = planOf({ targets: ['alpha-http'] });
  const markdown = renderMarkdown(
    summarize(runOf(single, (cell, round) => passedTrial({ cell, round, applied: 1000, facts }))),
  );
  expect(markdown).toContain(String.raw`a \| b<br>\<script\>`);
});

function measured(cell: CellSummary | undefined): Extract<CellSummary, { status: 'ok' }> {
  if (cell?.status !== 'ok') throw new Error('the test expected a cell with a number');
  return cell;
}

test('what the audits asserted stands in the report, and which reads their logs had no room for', () => {
  const summary = summarize(
    runOf(plan, (cell, round) => {
      const trial = passedTrial({ cell, round, applied: 1000 });
      const asserted = [{ operation: 'look', assertions: ['linearizable per value'] }];
      return { ...trial, audit: { ...trial.audit, asserted, readsOfEvery: round === 0 ? 2 : 1 } };
    }),
  );
  expect(summary.audit).toMatchObject({ readsOfEvery: 2, logBytesBound: 256 * 2 ** 20 });
  for (const output of [renderTerminal(summary, wide), renderMarkdown(summary)]) {
    expect(output).toMatch(/look\W+linearizable per value/);
    expect(output.replaceAll(/\s+/g, ' ')).toContain('Here the reads of every second row were logged.');
  }
});
