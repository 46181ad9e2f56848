import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '@fair-bench/contract';
import { type Cell, type RunPlan, type Search, combinationOf } from '@fair-bench/results';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRunOptions, runDefaults, searchGrid } from '../src/options/run-options.ts';
import { buildOptimizedPlan } from '../src/plan/optimized-plan.ts';
import { readHostAndSoftware } from '../src/probes/environment.ts';
import { readEarlierSearch } from '../src/search/earlier-search.ts';
import { searchBestPoints } from '../src/search/search-stage.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';
import { catalog, noFlags, workload, root } from './support/this-workspace.ts';

let folder = '';
const earlier = planOf();
const found = earlier.cells.map((cell) => searchOf(cell));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-earlier-'));
  await writeEnvironment({});
  await mkdir(join(folder, 'search'));
  await writeFile(join(folder, 'search', 'plan.json'), JSON.stringify(earlier));
  await writeFile(join(folder, 'search.json'), JSON.stringify(found));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('the same command goes on from every candidate that was searched', async () => {
  expect(await readEarlierSearch(root, folder, planOf())).toEqual(found);
});

test('with fewer systems, from those that are left', async () => {
  const kept = await readEarlierSearch(root, folder, planOf({ systems: 'sqlite' }));
  expect(new Set(kept.map(({ system }) => system))).toEqual(new Set(['sqlite']));
});

test.each([
  ['timing', { duration: '3s' }],
  ['loop', { rate: '1000' }],
  ['the workload, its parameters, or the settings of every target', { param: ['alpha=1.5'] }],
  ['the workload, its parameters, or the settings of every target', { batch: '10' }],
  ['the workload, its parameters, or the settings of every target', { durability: 'async' }],
])('a run that differs in %s is refused: %j', async (difference, texts) => {
  const refused = readEarlierSearch(root, folder, planOf(texts));
  await expect(refused).rejects.toThrow(InputError);
  await expect(refused).rejects.toThrow(`it differs in ${difference}`);
});

test('a run of another machine is refused', async () => {
  await writeEnvironment({ cpu: { model: 'another', cores: 64 } });
  try {
    await expect(readEarlierSearch(root, folder, planOf())).rejects.toThrow('it differs in cpu.');
  } finally {
    await writeEnvironment({});
  }
});

test('a run of a workload whose description was another one is refused', async () => {
  const refused = readEarlierSearch(root, folder, { ...planOf(), workloadSha256: '1'.repeat(64) });
  await expect(refused).rejects.toThrow('it differs in workload.');
});

test('a point at alpha 0.5 is not taken for alpha 1.5', async () => {
  const plan = planOf({ systems: 'sqlite', param: ['alpha=0.5,1.5'] });
  const stopped = new AbortController();
  stopped.abort();
  const { search } = await searchBestPoints(
    {
      plan,
      lacking: () => null,
      measure: async () => await Promise.reject(new Error('nothing is measured here')),
      elapsedMs: () => 0,
      earlier: await readEarlierSearch(root, folder, plan),
      onFound: () => undefined,
      signal: stopped.signal,
    },
    plan.search ?? (await Promise.reject(new Error('a plan without a search'))),
  );
  const triedAt = (alpha: number): number =>
    search.filter((one) => one.alpha === alpha).flatMap(({ points }) => points).length;
  expect([triedAt(0.5) > 0, triedAt(1.5)]).toEqual([true, 0]);
});

function planOf(texts: Record<string, unknown> = {}): RunPlan {
  const options = parseRunOptions({
    ...runDefaults,
    ...searchGrid,
    ...noFlags,
    mode: 'optimized',
    systems: 'postgres,sqlite',
    ...texts,
  });
  const targets = chosenTargets(catalog, options);
  return buildOptimizedPlan({ id: 'a-run', command: ['bench'], options, targets, workload }).plan;
}

function searchOf(cell: Cell): Search {
  const { target, client, sessions, depth, poolSize } = cell;
  const system = target.startsWith('sqlite') ? 'sqlite' : 'postgres';
  const load = { sessions, depth, ...(poolSize === undefined ? {} : { poolSize }) };
  const numbers = { tps: 1000, tpsOfTrials: [1000], p50Ms: 1, p99Ms: 2, trials: 1 };
  return {
    target,
    client,
    ...combinationOf(cell),
    durability: 'durable',
    contest: system,
    system,
    zone: 0.05,
    points: [{ status: 'ok', ...load, ...numbers }],
    chosen: null,
    edges: [],
  };
}

async function writeEnvironment(others: object): Promise<void> {
  const environment = {
    ...(await readHostAndSoftware(root)),
    fileSystem: { type: 'ext4', directory: folder },
    fsyncPerSecond: null,
    pinning: 'none',
    ...others,
  };
  await writeFile(join(folder, 'environment.json'), JSON.stringify(environment));
}
