import { type ClientName, combinationOf, type RunPlan, type SummaryInput } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { answerOf } from '../src/answer.ts';
import { evidenceOf } from '../src/html/evidence.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { factsOf, passedTrial, planOf, present, runOf, voidTrial } from '@fair-bench/analysis/test-support';

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
  expect(findings[0]).toMatch(
    /^durable per operation: alpha-db with the native client is .* × .* alpha-db with the node client\.$/,
  );
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

test('each system has the rate of an open loop that keeps its bound: shown, and no difference', () => {
  const input = run();
  const rates = new Map([
    ['alpha-db', 10_849],
    ['beta-db', 2064],
  ]);
  const cells = input.plan.cells.map((cell) => {
    const ratePerSecond = rates.get(cell.target);
    return ratePerSecond === undefined || cell.client === 'node' ? cell : { ...cell, ratePerSecond };
  });
  const { verdict, parity } = summarize({ ...input, plan: { ...input.plan, cells } });
  expect(verdict.differences).toEqual([]);
  expect(parity.find(({ rule }) => rule === 'F11')).toMatchObject({
    kind: 'shown',
    values: {
      'alpha-db': 'closed; open, 10849 operations per second',
      'beta-db': 'open, 2064 operations per second',
      'beta-db@async': 'closed',
    },
  });
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

test('systems at their best points are bars of one chart for each durability, whatever else is unavailable', () => {
  const input = run();
  const summary = summarize(input);
  const [first] = summary.cells;
  const missing = ['gamma-db', 'delta-db', 'epsilon-db', 'zeta-db', 'eta-db', 'theta-db'].map((target) => ({
    ...present(first),
    id: target,
    target,
    status: 'unavailable' as const,
    reason: 'it is not here',
    remedy: 'install it',
  }));
  const { groups } = evidenceOf({ ...summary, cells: [...summary.cells, ...missing] }, input.trials);
  expect(groups.map(({ cells, nameOf }) => cells.map(nameOf))).toEqual([
    [
      expect.stringMatching(/^(alpha|beta)-db.* \d+ × \d+/),
      ...Array.from({ length: 3 }, () => expect.stringMatching(/ \d+ × \d+/)),
    ],
    Array.from({ length: 2 }, () => expect.stringMatching(/@async, \d+ × \d+/)),
  ]);
});

const tried = (tpsOfTrials: number[]) => ({ status: 'ok' as const, tpsOfTrials, trials: tpsOfTrials.length });

/** What a search found for alpha-db, and that another client of it was slower. */
const search: NonNullable<SummaryInput['search']> = [
  {
    target: 'alpha-db',
    client: 'native',
    ...combinationOf(present(optimizedPlan().cells[0])),
    durability: 'durable',
    contest: 'alpha',
    system: 'alpha',
    zone: 0.05,
    points: [
      {
        ...tried([1150, 1170, 1190, 1210]),
        sessions: 8,
        depth: 40,
        tps: 1180,
        ci95: [1100, 1260],
        p50Ms: 3,
        p99Ms: 9,
      },
      {
        ...tried([1190, 1210]),
        sessions: 50,
        depth: 40,
        tps: 1200,
        ci95: [1100, 1210],
        p50Ms: 20,
        p99Ms: 212,
      },
      { status: 'void', sessions: 8, depth: 64, reason: 'a transfer was applied twice' },
    ],
    chosen: { sessions: 8, depth: 40 },
    peak: { sessions: 50, depth: 40 },
    edges: ['sessions'],
  },
  {
    target: 'alpha-db',
    client: 'node',
    ...combinationOf(present(optimizedPlan().cells[0])),
    durability: 'durable',
    contest: 'alpha',
    system: 'alpha',
    zone: 0.05,
    points: [{ ...tried([900]), sessions: 50, depth: 8, tps: 900, p50Ms: 1, p99Ms: 2 }],
    chosen: null,
    edges: [],
  },
];

test('the report has a table for each durability, the search, the notes and the profile as read live', () => {
  const report = renderMarkdown(summarize(run({ search })));
  const [durable = '', relaxed = ''] = report.split('## Results: ').slice(1);
  expect(durable).toMatch(/durable commits/);
  expect(durable).not.toContain('@async');
  expect(relaxed.split('\n## ')[0]).not.toMatch(/alpha-db \|/);
  expect(report).toContain('beta-db joins alpha-db, because of this test.');
  expect(report).toContain('8×40: 1,180 (4), 50×40: 1,200 (2), 8×64: void (a transfer was applied twice)');
  expect(report).toContain('8 × 40 (fastest at the edge of sessions)');
  expect(report).toContain('--sessions, --depth and --pool-size look further');
  expect(report).toContain('cache 6GB');
  expect(report).not.toContain('cache 128MB');
});

test('the first screen has the best point as the rounds measured it, and the peak as the search estimates it', () => {
  const { findings } = answerOf(summarize(run({ search })));
  expect(findings[0]).toMatch(
    /^alpha: [\d,]+ TPS at 320 in flight \(alpha-db by the native client, 8 × 40\), p99 [\d.]+ ms; peak in the search 1,154 at 2,000, p99 212 ms\.$/,
  );
});

test('the first screen says where the knee may be, as far as the search can tell', () => {
  const [best, ...others] = search;
  const said = (kneeInFlight: [number, number]): string | undefined =>
    answerOf(summarize(run({ search: best === undefined ? [] : [{ ...best, kneeInFlight }, ...others] })))
      .findings[0];
  expect(said([24, 1600])).toContain(
    '(alpha-db by the native client, 8 × 40; the knee is at 24 to 1,600), p99',
  );
  expect(said([320, 320])).toContain('(alpha-db by the native client, 8 × 40), p99');
});

test('what was found before the rounds is marked as not confirmed, with the command that goes on', () => {
  const { plan, ...rest } = run({ search });
  const { headline, reasons, findings } = answerOf(
    summarize({
      ...rest,
      plan: { ...plan, command: ['bench', '--mode', 'optimized', '--out', 'there'] },
      trials: [],
      interrupted: true,
    }),
  );
  expect(headline).toBe('Search only, not confirmed: the best points of 1 system so far');
  expect(reasons).toContain(`Continue: npm run bench -- --mode optimized --continue ${plan.id}`);
  expect(findings).toEqual([
    expect.stringMatching(/^alpha: search only, not confirmed: 1,177 TPS at 320 in flight/),
  ]);
});

test('points that were void in the rounds are not called unmeasured', () => {
  const { trials, ...rest } = run({ search });
  const voids = trials.map(({ cellId, round }) =>
    voidTrial({ cell: present(rest.plan.cells.find(({ id }) => id === cellId)), round }),
  );
  const { headline, reasons } = answerOf(summarize({ ...rest, trials: voids }));
  expect(headline).toMatch(/^Search only, not confirmed/);
  expect(reasons[0]).toBe(
    'Every point was void in the rounds, which alone give results: the reasons are below.',
  );
  const [beforeRounds] = answerOf(summarize({ ...rest, trials: [], interrupted: true })).reasons;
  expect(beforeRounds).toBe('The run ended before its rounds, which alone give results.');
});

test('a bound of p99 is judged by the rounds, closed and open loop', () => {
  const [best, ...others] = search;
  const bounded = { ...present(best), p99MaxMs: 20, rateWithinBound: null };
  const report = renderMarkdown(summarize(run({ search: [bounded, ...others] })));
  expect(report).toContain('The best point is the fastest one whose p99 is at most 20 ms.');
  expect(report).toMatch(
    /p99 of the rounds: [\d.]+ ms, (within|above) the bound of 20 ms; no rate of an open loop kept it\./,
  );
});
