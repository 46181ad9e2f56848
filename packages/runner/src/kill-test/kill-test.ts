import { type Facts, messageOf, type TargetOptions } from '@fair-bench/contract';
import { type Kill, type KillTest, killTestSchema, storeKillTests } from '@fair-bench/results';
import { smallParameters } from '@fair-bench/workload';
import { exitCodes, type ExitCode } from '../commands/exit-codes.ts';
import { importClient } from '../discover/client-module.ts';
import { loadConnector } from '../discover/load.ts';
import { type LoadedWorkload, loadWorkload } from '../discover/workload.ts';
import { discoverFor } from '../discover/workspace.ts';
import { probeCommits } from '../durability/probe-commits.ts';
import type { KillTestOptions } from '../options/kill-test-options.ts';
import { assemblePlan } from '../plan/assemble-plan.ts';
import { pointAt } from '../plan/parameters.ts';
import { targetOptions } from '../plan/target-options.ts';
import { StorageProbes } from '../probes/storage.ts';
import { seed } from '../seed/seed.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { chosenTargets } from '../targets/known-targets.ts';
import { type KillableTarget, withKillableTarget } from './killable-target.ts';
import { describeKill, killDepth, killSessions, killUnderLoad } from './kill-under-load.ts';

const loadMs = 700;
const probeRows = 1_000;
const stepTimeoutMs = 30_000;

export interface KillTestInput {
  readonly root: string;
  readonly options: KillTestOptions;
  /** The data directory that the environment names; the option overrules it. */
  readonly dataDirectory: string | null;
}

/**
 * `kill-test`: kills each target at each durability level under load by SIGKILL, starts it again on its data and audits
 * what it had acknowledged; the table is printed and kept for later runs. Ends with 1 where a durable level lost
 * something, or nothing could be killed.
 */
export async function killTestCommand(input: KillTestInput): Promise<ExitCode> {
  const { root, options } = input;
  const workload = await loadWorkload(root, options.workload);
  const catalog = await discoverFor(root, workload);
  const choice = { systems: options.systems, url: [], set: [], processes: 1, poolSize: killSessions };
  const tests: KillTest[] = [];
  for (const definition of chosenTargets(catalog, choice)) {
    const levels = definition.connector.manifest.factors.durability;
    for (const level of levels) {
      try {
        tests.push(await killTest(input, workload, atLevel(definition, level)));
      } catch (error) {
        say(`${definition.target}, ${level}: not tested: ${messageOf(error)}`);
      }
    }
  }
  if (tests.length === 0) return exitCodes.void;
  say(`kept for later runs: ${await storeKillTests(root, tests)}`);
  const { renderKillTests, terminalOptions } = await import('@fair-bench/report');
  process.stdout.write(renderKillTests(tests, terminalOptions(process.stdout, true)));
  const lost = tests.some(
    ({ level, kills }) => level === 'durable' && kills.some(({ outcome }) => outcome === 'lost'),
  );
  return lost ? exitCodes.void : exitCodes.ok;
}

function atLevel(definition: TargetDefinition, durability: KillTest['level']): TargetDefinition {
  return { ...definition, settings: { ...definition.settings, durability } };
}

async function killTest(
  { options, dataDirectory }: KillTestInput,
  workload: LoadedWorkload,
  definition: TargetDefinition,
): Promise<KillTest> {
  const { connector, settings } = definition;
  const clientModulePath = connector.nodeClientPath;
  if (clientModulePath === null) throw new Error('the Node load client cannot drive it');
  const route = await loadConnector(connector);
  const ofTarget = optionsOf(definition, workload);
  const availability = await route.probe(ofTarget);
  if (!availability.available) throw new Error(`${availability.reason}; ${availability.remedy}`);
  const dataRoot = options.dataDir ?? dataDirectory ?? undefined;
  const kills: Kill[] = [];
  const observed: Observed[] = [];
  for (let kill = 0; kill < options.kills; kill += 1) {
    const report = await withKillableTarget({ route, options: ofTarget, dataRoot }, async (target) => {
      if (kill === 0) observed.push(await observe(target, workload, clientModulePath));
      return await killUnderLoad(target, { workload, clientModulePath, loadMs });
    });
    say(
      `${definition.target}, ${settings.durability}, kill ${kill + 1} of ${options.kills}: ${describeKill(report)}`,
    );
    const { differences: _differences, ...found } = report;
    kills.push(found);
  }
  return killTestSchema.parse({
    connector: connector.name,
    level: settings.durability,
    workload: workload.name,
    measuredAt: new Date().toISOString(),
    kills,
    ...observed[0],
  });
}

type Observed = Pick<KillTest, 'system' | 'version' | 'fileSystem' | 'commits'>;

/** What the kills are of, and what one commit costs there. */
async function observe(
  { deployment }: KillableTarget,
  workload: LoadedWorkload,
  clientModulePath: string,
): Promise<Observed> {
  const signal = AbortSignal.timeout(stepTimeoutMs);
  const { description } = workload;
  const cell = { target: 'killed', parameters: smallParameters(description, { rows: probeRows }) };
  const seeded = await seed({ cell, workload: description, deployment, signal });
  await deployment.prepare(signal);
  const facts: Facts = await deployment.facts(signal);
  const { system, storage } = facts;
  const probe = await new StorageProbes().of(storage.directory);
  const client = await importClient(clientModulePath);
  const commits = await probeCommits({ deployment, client, seeded, flushes: probe?.flushes ?? null });
  return { system: system.name, version: system.version, fileSystem: storage.fileSystem, commits };
}

/** As a run would start it for the load of a kill. */
function optionsOf(definition: TargetDefinition, workload: LoadedWorkload): TargetOptions {
  const point = pointAt(workload, { seed: '42', param: [] }, {});
  const spec = {
    target: definition,
    client: 'node',
    point,
    sessions: killSessions,
    depth: killDepth,
  } as const;
  const plan = assemblePlan({
    id: 'kill-test',
    mode: 'fair',
    command: ['kill-test'],
    options: { seed: '42', trials: 1, duration: loadMs, warmup: 0, threads: 1, inDoubtMax: 1 },
    specs: [spec],
    workload,
  });
  const [planned] = plan.targets;
  if (planned === undefined) throw new Error('a plan of one target has none');
  return targetOptions({ plan, workload, urls: {} }, planned);
}

function say(line: string): void {
  process.stderr.write(`kill-test: ${line}\n`);
}
