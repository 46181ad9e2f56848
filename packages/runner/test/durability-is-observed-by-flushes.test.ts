import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, type TestContext } from 'vitest';
import { durabilityBasisOf } from '@fair-bench/analysis';
import type { Deployment, Route, RouteDefinition } from '@fair-bench/contract';
import {
  type DurabilityEvidence,
  killTestsFile,
  readKillTests,
  type DurabilityBasis,
} from '@fair-bench/results';
import { createSupervisor } from '@fair-bench/supervisor';
import { loadConnector } from '../src/discover/load.ts';
import { type LoadedWorkload, loadWorkload } from '../src/discover/workload.ts';
import { discoverFor } from '../src/discover/workspace.ts';
import { gatherDurability } from '../src/durability/durability-stage.ts';
import { parseRunOptions } from '../src/options/run-options.ts';
import { buildPlan } from '../src/plan/build-plan.ts';
import { StorageProbes } from '../src/probes/storage.ts';
import { Targets } from '../src/provision/targets.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-levels-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));
const workload = await loadWorkload(root, 'transfer');
const catalog = await discoverFor(root, workload);
const storage = new StorageProbes();

test('a real server acknowledges durable commits after a flush each, async ones before it', async ({
  skip,
}) => {
  const { levels, killTest, basis } = await evidenceOf(echoing, skip, { kills: 3 });
  expect(levels?.durable.flushesPerOperation).toBeGreaterThan(0.6);
  expect(levels?.async.flushesPerOperation).toBeLessThan(0.5);
  expect(levels?.durable.afterFlushShare).toBeGreaterThan(0.95);
  expect(levels?.async.afterFlushShare).toBeLessThan(0.5);
  expect(levels?.durable.atLoad?.outstanding).toBeGreaterThan(1);
  expect(levels?.durable.atLoad?.afterFlushShare).toBeGreaterThan(0.95);
  // One flush covers many.
  expect(levels?.durable.atLoad?.flushesPerOperation).toBeLessThan(0.6);
  expect(killTest?.kills.map(({ outcome }) => outcome)).toEqual(['kept', 'kept', 'kept']);
  expect(basis).toMatchObject({
    status: 'observed',
    because: expect.stringMatching(
      /; of durable ones with \d+ outstanding \d+ %; none of 3 kills on .* lost anything$/,
    ),
  });
}, 120_000);

test('a workload that only reads is not probed, and no server is killed for it', async ({ skip }) => {
  const why = 'there is no commit to probe: no operation of the workload point-read writes';
  const { basis, ...found } = await evidenceOf(echoing, skip, {
    of: await loadWorkload(root, 'point-read'),
    why,
  });
  expect(found).toEqual({ levels: null, killTest: null });
  expect(basis.status).toBe('requested');
});

test('a liar that waits for its flushes while it is alone, and not under load, is not observed', async ({
  skip,
}) => {
  const { levels, basis } = await evidenceOf(echoing, skip, { liar: 'async-at-load' });
  expect(levels?.durable.afterFlushShare).toBeGreaterThan(0.95);
  expect(levels?.async.afterFlushShare).toBeLessThan(0.5);
  expect(levels?.durable.atLoad?.afterFlushShare).toBeLessThan(0.95);
  // A kill loses nothing where the flushes of the honest session come in time for the others.
  expect(['requested', 'refuted']).toContain(basis.status);
}, 120_000);

test('a liar that echoes the request and always commits asynchronously shows no flushes', async ({
  skip,
}) => {
  const { levels, basis } = await evidenceOf(echoingAt('async'), skip);
  expect(levels?.durable.flushesPerOperation).toBeLessThan(0.5);
  expect(basis.status).toBe('refuted');
}, 120_000);

test('a liar that flushes for each operation, but acknowledges it first, is not observed', async ({
  skip,
}) => {
  const { levels, basis } = await evidenceOf(echoingAt('async'), skip, { liar: 'flushes-late' });
  expect(levels?.durable.flushesPerOperation).toBeGreaterThan(0.6);
  expect(levels?.durable.afterFlushShare).toBeLessThan(0.5);
  expect(basis.status).toBe('refuted');
}, 120_000);

describe('a target whose levels look alike is killed under load', () => {
  test('and observed when it waits for its flushes at both', async ({ skip }) => {
    const { killTest, basis } = await evidenceOf(echoingAt('durable'), skip);
    expect(killTest?.kills.map(({ outcome }) => outcome)).toEqual(['kept']);
    expect(basis.status).toBe('observed');
  }, 120_000);

  test('and refuted when it flushes another file before it acknowledges', async ({ skip }) => {
    const { killTest, basis } = await evidenceOf(echoingAt('async'), skip, {
      liar: 'flushes-something-else',
    });
    expect(killTest?.commits?.afterFlushShare).toBeGreaterThan(0.95);
    expect(basis.status).toBe('refuted');
  }, 120_000);
});

/** A double of a real connector that differs only in not reporting what a commit waits for. */
function echoing(route: Route): RouteDefinition {
  return {
    probe: async (options) => await route.probe(options),
    provision: async (context) => echo(await route.provision(context), context.options.durability),
  };
}

/** The same, with one level for every request. */
function echoingAt(durability: 'durable' | 'async'): typeof echoing {
  return (route) => ({
    probe: async (options) => await route.probe(options),
    async provision(context) {
      const options = { ...context.options, durability };
      return echo(await route.provision({ ...context, options }), context.options.durability);
    },
  });
}

function echo(deployment: Deployment, durability: 'durable' | 'async'): Deployment {
  return {
    ...deployment,
    facts: async (signal) => ({
      ...(await deployment.facts(signal)),
      durability,
      durabilityBasis: { status: 'requested', request: `durability=${durability}` },
    }),
  };
}

type Found = Pick<DurabilityEvidence, 'levels' | 'killTest'> & {
  readonly basis: DurabilityBasis;
};

/** What the stage finds of PostgreSQL's driver behind such a connector, called by a liar's client module unless by its own. */
async function evidenceOf(
  behind: (route: Route) => RouteDefinition,
  skip: TestContext['skip'],
  {
    liar,
    kills = 1,
    of = workload,
    why = null,
  }: {
    readonly liar?: string;
    readonly kills?: number;
    readonly of?: LoadedWorkload;
    readonly why?: string | null;
  } = {},
): Promise<Found> {
  const options = parseRunOptions({ systems: 'postgres-driver', depth: '1' });
  const targets = chosenTargets(catalog, options);
  const plan = buildPlan({ id: 'levels', command: [], options, targets, workload: of });
  const [planned] = plan.targets;
  const [definition] = targets;
  const { connector: real } = present(definition);
  const nodeClientPath =
    liar === undefined ? real.nodeClientPath : join(import.meta.dirname, 'support', `${liar}.ts`);
  const found = { ...real, nodeClientPath };
  const route = await loadConnector(real);
  const connector = { ...route, ...behind(route) };
  const supervisor = createSupervisor({ logDirectory: scratch });
  const signal = AbortSignal.timeout(110_000);
  const connectors = new Map([[found.name, { found, connector }]]);
  const running = new Targets(plan, { connectors, workload: of, urls: {}, supervisor, signal });
  try {
    const state = await running.provision(present(planned));
    if (state.status !== 'ready') throw new Error(`the target is ${state.status}`);
    const context = {
      root: scratch,
      connectors,
      workload: of,
      signal,
      dataDirectory: null,
      display: silent,
    };
    const states = new Map([[present(planned).target, state]]);
    const stage = {
      planned: plan.targets,
      cells: plan.cells,
      states,
      targets: running,
      storage,
      kills,
      context,
    };
    const [evidence] = await gatherDurability(stage);
    const { levels, killTest, failure } = present(evidence);
    expect(failure).toBe(why);
    if (levels?.durable.afterFlushShare === null)
      skip('the device here counts no flushes, or others flush it all the time');
    expect(await readKillTests(scratch)).toEqual(killTest === null ? [] : [killTest]);
    return { levels, killTest, basis: durabilityBasisOf(state.facts, present(evidence)) };
  } finally {
    await running.closeAll();
    await supervisor.stopAll();
    await rm(killTestsFile(scratch), { force: true });
  }
}

const silent = { message: () => undefined };

function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the test expected a value');
  return value;
}
