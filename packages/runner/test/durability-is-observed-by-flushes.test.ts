import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Deployment, Route, RouteDefinition } from '@fair-bench/contract';
import type { CommitProbe, DurabilityEvidence } from '@fair-bench/results';
import { createSupervisor } from '@fair-bench/supervisor';
import { loadConnector } from '../src/discover/load.ts';
import { loadWorkload } from '../src/discover/workload.ts';
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

test('durable commits of a real server cost a flush each, asynchronous ones none', async ({ skip }) => {
  const { levels, counted } = await evidenceOf(echoing);
  if (!counted) skip('the device here does not count flushes');
  expect(levels?.durable.flushesPerOperation).toBeGreaterThan(0.9);
  expect(levels?.async.flushesPerOperation).toBeLessThan(0.5);
  expect(levels?.durable.latencyMsP50).toBeGreaterThan(present(levels?.async).latencyMsP50);
}, 60_000);

test('a liar that echoes what was requested, and commits asynchronously either way, shows none', async ({
  skip,
}) => {
  const { levels, counted } = await evidenceOf(echoingLiar);
  if (!counted) skip('the device here does not count flushes');
  expect(levels?.durable.flushesPerOperation).toBeLessThan(0.5);
}, 60_000);

/** A connector whose server does not say what a commit waits for: a double of a real one in that alone. */
function echoing(route: Route): RouteDefinition {
  return {
    probe: async (options) => await route.probe(options),
    provision: async (context) => echo(await route.provision(context), context.options.durability),
  };
}

/** The same, and it never waits. */
function echoingLiar(route: Route): RouteDefinition {
  return {
    probe: async (options) => await route.probe(options),
    async provision(context) {
      const options = { ...context.options, durability: 'async' } as const;
      return echo(await route.provision({ ...context, options }), context.options.durability);
    },
  };
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

/** What the stage finds of PostgreSQL's driver behind such a connector. */
async function evidenceOf(
  behind: (route: Route) => RouteDefinition,
): Promise<Pick<DurabilityEvidence, 'levels'> & { counted: boolean }> {
  const options = parseRunOptions({ systems: 'postgres-driver', depth: '1' });
  const targets = chosenTargets(catalog, options);
  const plan = buildPlan({ id: 'levels', command: [], options, targets, workload });
  const [planned] = plan.targets;
  const [definition] = targets;
  const found = present(definition).connector;
  const route = await loadConnector(found);
  const connector = { ...route, ...behind(route) };
  const supervisor = createSupervisor({ logDirectory: scratch });
  const signal = AbortSignal.timeout(50_000);
  const connectors = new Map([[found.name, connector]]);
  const running = new Targets(plan, { connectors, workload, urls: {}, supervisor, signal });
  try {
    const state = await running.provision(present(planned));
    const context = {
      root: scratch,
      connectors: new Map([[found.name, { found, connector }]]),
      workload,
      signal,
      display: silent,
    };
    const states = new Map([[present(planned).target, state]]);
    const [evidence] = await gatherDurability({
      planned: plan.targets,
      states,
      targets: running,
      storage,
      context,
    });
    const { levels, failure } = present(evidence);
    expect(failure).toBeNull();
    return { levels, counted: levels !== null && isCounted(levels.durable) };
  } finally {
    await running.closeAll();
    await supervisor.stopAll();
  }
}

function isCounted({ flushesPerOperation }: CommitProbe): boolean {
  return flushesPerOperation !== null;
}

const silent = { message: () => undefined };

function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the test expected a value');
  return value;
}
