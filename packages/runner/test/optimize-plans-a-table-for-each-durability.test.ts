import { describe, expect, test } from 'vitest';
import { parseRunOptions, runDefaults, searchGrid } from '../src/options/run-options.ts';
import { buildOptimizedPlan, type PlannedRun } from '../src/plan/optimized-plan.ts';
import { settledPlan } from '../src/plan/settled-plan.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';
import { catalog, noFlags, workload } from './support/this-workspace.ts';

function plan(systems: string | undefined, texts: Record<string, unknown> = {}): PlannedRun {
  const options = parseRunOptions({
    ...runDefaults,
    ...searchGrid,
    ...noFlags,
    mode: 'optimized',
    ...(systems === undefined ? {} : { systems }),
    ...texts,
  });
  const targets = chosenTargets(catalog, options);
  return buildOptimizedPlan({ id: 'a-run', command: ['bench'], options, targets, workload });
}

function contestsOf({ plan: { search } }: PlannedRun): Record<string, readonly string[]> {
  return Object.fromEntries((search?.contests ?? []).map(({ name, cells }) => [name, cells]));
}

test('by default each system has one contest, durable and at the first combination, for all its routes and clients', () => {
  const made = plan('postgres,sqlite');
  const { postgres = [], sqlite = [], ...others } = contestsOf(made);
  expect(others).toEqual({});
  // The likely fastest first, for a search that ends early.
  expect(postgres[0]).toBe('postgres-driver-native-a0.5-d8-s50');
  expect(postgres.toSorted()).toEqual([
    'postgres-driver-a0.5-d8-s50',
    'postgres-driver-native-a0.5-d8-s50',
    'postgres-drizzle-a0.5-d8-s50-p50',
    'postgres-drizzle-native-a0.5-d8-s50-p50',
    'postgres-storedproc-a0.5-d8-s50-p50',
    'postgres-storedproc-native-a0.5-d8-s50-p50',
  ]);
  expect(sqlite).toContain('sqlite-drizzle-a0.5-d8-s50');
  expect(new Set(made.plan.targets.map(({ durability }) => durability))).toEqual(new Set(['durable']));
  expect(made.plan.search?.pools).toEqual([13, 50, 100]);
});

test('all systems of the workspace compete where none is named', () => {
  const systems = new Set(plan(undefined).plan.search?.contests.map(({ system }) => system));
  expect([...systems]).toEqual(expect.arrayContaining(['convex', 'postgres', 'spacetimedb', 'sqlite']));
});

test('a target that is named holds its route', () => {
  const contests = contestsOf(plan('postgres-drizzle,postgres-driver'));
  expect(Object.keys(contests)).toEqual(['postgres-drizzle', 'postgres-driver']);
  expect(contests['postgres-drizzle']).toEqual([
    'postgres-drizzle-native-a0.5-d8-s50-p50',
    'postgres-drizzle-a0.5-d8-s50-p50',
  ]);
});

describe('options that name several values add a contest for each', () => {
  test('of durability, durable ones first, each target under a name of its own', () => {
    const made = plan('postgres-driver,spacetimedb-sdk', { durability: 'both' });
    expect(Object.keys(contestsOf(made))).toEqual([
      'postgres-driver',
      'spacetimedb-sdk',
      'postgres-driver@async',
      'spacetimedb-sdk@async',
    ]);
  });

  test('of a parameter', () => {
    expect(Object.keys(contestsOf(plan('sqlite', { param: ['alpha=0.5,1.5'] })))).toEqual([
      'sqlite at a0.5',
      'sqlite at a1.5',
    ]);
  });

  test('of the client', () => {
    expect(contestsOf(plan('postgres-driver', { client: 'node,native' }))).toEqual({
      'postgres-driver, node client': ['postgres-driver-a0.5-d8-s50'],
      'postgres-driver, native client': ['postgres-driver-native-a0.5-d8-s50'],
    });
    expect(contestsOf(plan('postgres-driver', { client: 'node' }))).toEqual({
      'postgres-driver': ['postgres-driver-a0.5-d8-s50'],
    });
  });

  test('of the profile; a system without one is measured with defaults, and a note says so', () => {
    const made = plan('postgres-driver,spacetimedb-sdk', { profile: 'both' });
    expect(made.plan.targets.map(({ target, profile }) => [target, profile])).toEqual([
      ['postgres-driver', 'default'],
      ['postgres-driver@tuned', 'tuned'],
      ['spacetimedb-sdk', 'default'],
    ]);
    expect(made.plan.notes?.join(' ')).toMatch(/spacetimedb-sdk is measured with default settings/);
  });
});

test('a target without async commits is only in the first table, and cannot be requested as async', () => {
  const made = plan('convex-http', { durability: 'both' });
  expect(made.plan.targets.map(({ target }) => target)).toEqual(['convex-http']);
  expect(made.plan.notes?.join(' ')).toMatch(/convex-http is only in one table/);
  expect(() => plan('convex-http', { durability: 'async' })).toThrow(
    '--durability: got "async"; accepts durable for convex-http',
  );
});

test('settings in a target’s name stay', () => {
  const { targets } = plan('postgres-driver@tuned-async', { profile: 'both', durability: 'both' }).plan;
  expect(targets.map(({ target }) => target)).toEqual(['postgres-driver@tuned-async']);
});

test('the default grid may be extended, a given one is kept', () => {
  const { search } = plan('sqlite', { sessions: '8,50' }).plan;
  expect(search).toMatchObject({ sessions: [8, 50], sessionsMax: 50, depthMax: 256 });
});

test('the search has at most half of the budget, and the default budget is ten minutes', () => {
  expect(plan('sqlite').plan).toMatchObject({
    search: { endsAtMs: 300_000 },
    allocation: { budgetMs: 600_000 },
  });
  // Also with systems that are not here: they cost nothing.
  expect(plan(undefined).plan).toMatchObject({
    search: { endsAtMs: 300_000 },
    allocation: { budgetMs: 600_000 },
  });
  expect(plan('sqlite', { budget: '4m' }).plan).toMatchObject({
    search: { endsAtMs: 120_000 },
    allocation: { budgetMs: 240_000 },
  });
});

test('what does not fit a budget is reduced in order: rounds, combinations, candidates; a note says what', () => {
  const params = { param: ['alpha=0,0.5,1,1.5'] };
  const whole = plan('postgres', params).plan;
  expect([whole.rounds.length, whole.search?.contests.length]).toEqual([5, 4]);
  const sizes = ['5m', '120s', '100s', '80s', '50s', '46s'].map((budget) => {
    const { plan: made } = plan('postgres', { ...params, budget });
    const [first] = made.search?.contests ?? [];
    return {
      rounds: made.rounds.length,
      contests: made.search?.contests.length ?? 0,
      candidates: first?.cells.length ?? 0,
      note: made.notes?.join(' ') ?? '',
    };
  });
  const keys = ['rounds', 'contests', 'candidates'] as const;
  for (const [index, size] of sizes.entries()) {
    const before = sizes[index - 1] ?? size;
    for (const key of keys) expect(size[key]).toBeLessThanOrEqual(before[key]);
  }
  // Nothing is reduced before what comes first is.
  const early = sizes.filter(
    ({ contests, candidates, rounds }) => (contests < 4 && rounds > 2) || (candidates < 6 && contests > 1),
  );
  expect(early).toEqual([]);
  expect(sizes.at(-1)?.note).toMatch(
    /^To fit --budget: .* instead of 5 rounds, 1 of 4 combinations, at most \d of 6 /,
  );
  expect(() => plan('postgres', { budget: '5s' })).toThrow(/^--budget: got "5s"; accepts at least \d+s/);
});

test('a quick look names no option that was not given, and fits 90 seconds', () => {
  const { plan: made } = plan('postgres,sqlite-drizzle', { quick: true });
  expect(made.allocation?.budgetMs).toBeLessThanOrEqual(90_000);
  expect(made.search?.contests).toHaveLength(2);
  expect(made.notes?.join(' ')).toMatch(/^To fit --quick: /);
});

test('after the search the rounds have the winners alone, each beside what it is compared with', () => {
  const made = plan('postgres-driver,sqlite-drizzle');
  const winners = made.plan.cells.filter(({ target, client }) =>
    target === 'postgres-driver' ? client === 'native' : client === 'node',
  );
  const settled = settledPlan(made.plan, winners);
  expect(settled.search).toBeUndefined();
  expect(settled.targets.map(({ target }) => target)).toEqual(['postgres-driver', 'sqlite-drizzle']);
  expect(settled.rounds).toHaveLength(made.plan.rounds.length);
  expect(settled.rounds[0]?.toSorted()).toEqual(winners.map(({ id }) => id).toSorted());
  expect(settled.contrasts).toEqual([{ baseline: winners[0]?.id, contender: winners[1]?.id }]);
});
