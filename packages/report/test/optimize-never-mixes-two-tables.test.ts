import { type ClientName, combinationOf, type RunPlan, type SummaryInput } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { answerOf } from '../src/answer.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { factsOf, passedTrial, planOf, present, runOf } from '../../analysis/test/support/trial-records.ts';

const names = ['alpha-db', 'beta-db', 'alpha-db@async', 'beta-db@async', 'alpha-db@tuned'];

/** A plan of optimized mode: durable and async targets, one of them tuned, one measured by both clients. */
function optimizedPlan(): RunPlan {
  const plan = planOf({ targets: names, rounds: 3 });
  const at = (target: string, client: ClientName, sessions: number, depth: number) => ({
    ...present(plan.cells.find((cell) => cell.target === target)),
    id: `${target}-${client}`,
    client,
    sessions,
    depth,
  });
  const cells = [
    at('alpha-db', 'node', 8, 40),
    at('alpha-db', 'native', 8, 40),
    at('beta-db', 'native', 200, 1),
    at('alpha-db@async', 'native', 8, 40),
    at('beta-db@async', 'native', 50, 8),
    at('alpha-db@tuned', 'native', 50, 8),
  ];
  return {
    ...plan,
    mode: 'optimized',
    targets: plan.targets.map((target) => ({
      ...target,
      connector: target.target.split('@')[0] ?? target.target,
      durability: target.target.endsWith('@async') ? 'async' : 'durable',
      profile: target.target.endsWith('@tuned') ? 'tuned' : 'default',
    })),
    cells,
    rounds: plan.rounds.map(() => cells.map(({ id }) => id)),
    notes: ['beta-db joins alpha-db, because of this test.'],
  };
}

const appliedAlike = (): number => 1000;

function run(
  changes: Partial<SummaryInput> = {},
  appliedOf: (client: ClientName) => number = appliedAlike,
): SummaryInput {
  return runOf(
    optimizedPlan(),
    (cell, round) => {
      const durability = cell.target.endsWith('@async') ? 'async' : 'durable';
      const settings = {
        sync: 'on',
        journal: 'wal',
        cache: cell.target.endsWith('@tuned') ? '6GB' : '128MB',
      };
      const facts = factsOf('alpha', { durability, settings });
      return passedTrial({ cell, round, applied: appliedOf(cell.client) + round, facts });
    },
    { targets: [], ...changes },
  );
}

test('no ratio mixes two durabilities, and each names its kind and its points', () => {
  const { comparisons } = summarize(run());
  expect(
    comparisons.map(({ baseline, contender, of, durability }) => [baseline, contender, of, durability]),
  ).toEqual([
    ['alpha-db', 'alpha-db', 'clients', 'durable'],
    ['alpha-db', 'beta-db', 'best-points', 'durable'],
    ['alpha-db', 'alpha-db@tuned', 'profiles', 'durable'],
    ['beta-db', 'alpha-db@tuned', 'profiles', 'durable'],
    ['alpha-db@async', 'beta-db@async', 'best-points', 'async'],
  ]);
  expect(comparisons[1]?.points).toEqual({
    baseline: { client: 'native', sessions: 8, depth: 40 },
    contender: { client: 'native', sessions: 200, depth: 1 },
  });
});

test('a finding about two load clients names each of them once', () => {
  const { findings } = answerOf(summarize(run({}, (client) => (client === 'native' ? 4000 : 1000))));
  expect(findings[0]).toMatch(/^alpha-db with the native client is .* × .* alpha-db with the node client\.$/);
});

test('sessions, depth and load client are shown; each table is judged by its own durability', () => {
  const { verdict, parity } = summarize(run());
  expect(verdict.differences).toEqual([]);
  const rows = parity.filter(({ rule }) => ['F3', 'F4', 'F5', 'F35'].includes(rule));
  const equal = rows.filter(({ kind }) => kind === 'equal').map(({ subject }) => subject);
  // Also at its best point a depth must reach the server.
  expect(equal).toEqual(['requests outstanding of a session, seen on the wire']);
  expect(rows.filter(({ kind }) => kind === 'shown').length).toBeGreaterThan(3);
});

test('async commits that were requested and are not in force are a difference, as the other way round', () => {
  const input = run();
  const swapped = {
    ...input,
    trials: input.trials.map((trial) => {
      if (trial.status !== 'ok' || !trial.cellId.startsWith('beta-db@async')) return trial;
      const facts = factsOf('alpha', { durability: 'durable' });
      return { ...trial, factsBefore: facts, factsAfter: facts };
    }),
  };
  const { verdict } = summarize(swapped);
  expect(verdict.fair).toBe(false);
  expect(verdict.differences[0]?.message).toMatch(
    /beta-db@async is in the table of async commits and has durable/,
  );
});

test('the report has a table for each durability, the search, the notes and the profile as read live', () => {
  const report = renderMarkdown(
    summarize(
      run({
        search: [
          {
            target: 'alpha-db',
            client: 'native',
            ...combinationOf({ parameters: { alpha: 0.5 }, axes: ['alpha'] }),
            durability: 'durable',
            points: [
              { status: 'ok', sessions: 50, depth: 8, tps: 1200, trials: 4 },
              { status: 'void', sessions: 8, depth: 40, reason: 'a transfer was applied twice' },
            ],
            chosen: { sessions: 50, depth: 8 },
            edges: ['sessions'],
          },
        ],
      }),
    ),
  );
  const [durable = '', relaxed = ''] = report.split('## Results: ').slice(1);
  expect(durable).toMatch(/durable commits/);
  expect(durable).not.toContain('@async');
  expect(relaxed.split('\n## ')[0]).not.toMatch(/alpha-db \|/);
  expect(report).toContain('beta-db joins alpha-db, because of this test.');
  expect(report).toContain('50×8: 1,200 (4), 8×40: void (a transfer was applied twice)');
  expect(report).toContain('50 × 8, at the edge of sessions');
  expect(report).toContain('--sessions, --depth and --pool-size look further');
  expect(report).toContain('cache 6GB');
  expect(report).not.toContain('cache 128MB');
});
