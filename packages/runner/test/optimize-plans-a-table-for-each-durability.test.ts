import { expect, test } from 'vitest';
import { parseRunOptions, runDefaults } from '../src/options/run-options.ts';
import { buildOptimizedPlan, type OptimizedPlan } from '../src/plan/optimized-plan.ts';
import { settledPlan } from '../src/plan/settled-plan.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';
import { catalog, noFlags, workload } from './support/this-workspace.ts';

function plan(systems: string, texts: Record<string, unknown> = {}): OptimizedPlan {
  const options = parseRunOptions({
    ...runDefaults,
    ...noFlags,
    mode: 'optimized',
    sessions: '8,50,200',
    depth: '1,8,40',
    param: ['alpha=0.5'],
    systems,
    ...texts,
  });
  const targets = chosenTargets(catalog, options);
  const { connectors } = catalog;
  return buildOptimizedPlan({ id: 'a-run', command: ['bench'], options, targets, connectors, workload });
}

function cellsOf({ plan: { cells } }: OptimizedPlan): string[] {
  return cells.map(({ id }) => id);
}

test('the direct route is added to a target behind an application server, with the reason', () => {
  const made = plan('postgres-storedproc', { durability: 'durable' });
  expect(made.plan.targets.map(({ target }) => target)).toEqual(['postgres-storedproc', 'postgres-driver']);
  expect(made.requested).toEqual(['postgres-storedproc']);
  expect(made.plan.notes?.join(' ')).toMatch(/postgres-driver joins postgres-storedproc/);
});

test('the pool is searched for where the connector can set it, around the run’s own', () => {
  const { cells, search } = plan('postgres-storedproc,sqlite-drizzle', { durability: 'durable' }).plan;
  expect(search?.pools).toEqual([13, 50, 100]);
  expect(new Map(cells.map(({ target, poolSize }) => [target, poolSize]))).toEqual(
    new Map([
      ['postgres-storedproc', 50],
      ['sqlite-drizzle', undefined],
      ['postgres-driver', undefined],
    ]),
  );
});

test('nothing is added to a direct target, or to a system without a direct route', () => {
  for (const name of ['spacetimedb-sdk', 'postgres-driver', 'sqlite-drizzle']) {
    const { targets } = plan(name, { durability: 'durable' }).plan;
    expect(targets.map(({ target }) => target)).toEqual([name]);
  }
});

test('durable targets come first, async ones second, each under a name of its own', () => {
  const { targets } = plan('postgres-driver,spacetimedb-sdk').plan;
  expect(targets.map(({ target, durability }) => [target, durability])).toEqual([
    ['postgres-driver', 'durable'],
    ['spacetimedb-sdk', 'durable'],
    ['postgres-driver@async', 'async'],
    ['spacetimedb-sdk@async', 'async'],
  ]);
});

test('the Node client measures the same route once, at the best point of the native client', () => {
  const made = plan('postgres-driver');
  expect(cellsOf(made)).toEqual([
    'postgres-driver-a0.5-d8-s50',
    'postgres-driver-native-a0.5-d8-s50',
    'postgres-driver@async-native-a0.5-d8-s50',
  ]);
  expect(made.plan.search).toMatchObject({
    sessions: [8, 50, 200],
    depths: [1, 8, 40],
    followers: { 'postgres-driver-a0.5-d8-s50': 'postgres-driver-native-a0.5-d8-s50' },
  });
  const settled = settledPlan(made.plan, (cell) => ({ ...cell, id: `${cell.id}-there`, depth: 40 }));
  expect(settled.search).toBeUndefined();
  expect(settled.rounds[0]?.toSorted()).toEqual(settled.cells.map(({ id }) => id).toSorted());
});

test('profiles are separate targets; a system without one is measured with defaults, and a note says so', () => {
  const made = plan('postgres-driver,spacetimedb-sdk', { durability: 'durable', profile: 'both' });
  expect(made.plan.targets.map(({ target, profile }) => [target, profile])).toEqual([
    ['postgres-driver', 'default'],
    ['postgres-driver@tuned', 'tuned'],
    ['spacetimedb-sdk', 'default'],
  ]);
  expect(made.plan.notes?.join(' ')).toMatch(/spacetimedb-sdk is measured with default settings/);
});

test('a target without async commits is only in the first table, and cannot be requested as async', () => {
  const made = plan('convex-http');
  expect(made.plan.targets.map(({ target }) => target)).toEqual(['convex-http']);
  expect(made.plan.notes?.join(' ')).toMatch(/convex-http is only in one table/);
  expect(() => plan('convex-http', { durability: 'async' })).toThrow(
    '--durability: got "async"; accepts durable for convex-http',
  );
});

test('settings in a target’s name stay', () => {
  const { targets } = plan('postgres-driver@tuned-async', { profile: 'both' }).plan;
  expect(targets.map(({ target }) => target)).toEqual(['postgres-driver@tuned-async']);
});

test('a requested client is the only one', () => {
  expect(cellsOf(plan('postgres-driver', { client: 'node', durability: 'durable' }))).toEqual([
    'postgres-driver-a0.5-d8-s50',
  ]);
});
