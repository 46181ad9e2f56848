import {
  badOption,
  messageOf,
  type RouteFactors,
  type TargetOptions,
  typedCommand,
} from '@fair-bench/contract';
import { prepareNativeClient } from '@fair-bench/native-client';
import { type KillTest, storeKillTests } from '@fair-bench/results';
import { resolveWorkload, smallParameters } from '@fair-bench/workload';
import { loadConnector, sessionsPathOf } from '../discover/load.ts';
import { type LoadedWorkload, loadWorkload } from '../discover/workload.ts';
import { discoverFor } from '../discover/workspace.ts';
import { killTarget } from '../durability/kill-target.ts';
import { killBatch, killDepth, killSessions } from '../durability/kill-under-load.ts';
import { nothingToProbe } from '../durability/probe-commits.ts';
import { engineOf } from '../measure/load-clients.ts';
import type { KillTestOptions } from '../options/run-options.ts';
import { assemblePlan } from '../plan/assemble-plan.ts';
import { pointAt } from '../plan/parameters.ts';
import { targetOptions } from '../plan/target-options.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { chosenTargets } from '../targets/known-targets.ts';
import type { CommandInput } from './run-and-report.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { holdHost } from './hold-host.ts';

type KillTestInput = Omit<CommandInput<KillTestOptions>, 'command'>;

/**
 * `kill-test`: kills each target at each tier (durable per operation, durable per batch, async) under load by SIGKILL, restarts it on
 * its data and audits what it acknowledged; the table is printed and stored for later runs. Exits with 1 if a durable level lost
 * something, or if nothing could be killed. Rejects with an InputError for a target without durable data,
 * and for a workload that writes none.
 */
export async function killTestCommand(input: KillTestInput): Promise<ExitCode> {
  const { root, options } = input;
  const workload = await loadWorkload(root, options.workload);
  const catalog = await discoverFor(root, workload);
  const choice = { systems: options.systems, url: [], set: [], processes: 1, poolSize: killSessions };
  const targets = chosenTargets(catalog, choice);
  const calibration = targets.find(({ connector }) => connector.manifest.calibration);
  if (calibration !== undefined) {
    throw badOption('systems', calibration.target, 'databases: a calibration target stores no data');
  }
  const { description } = workload;
  if (nothingToProbe(resolveWorkload(description, smallParameters(description))) !== null) {
    throw badOption(
      'workload',
      workload.name,
      'workloads with an operation that writes: a kill loses nothing else',
    );
  }
  using _ = holdHost({ root, command: typedCommand('kill-test'), share: options.shareHost });
  const tests: KillTest[] = [];
  for (const definition of targets) {
    const lack = await lackOfEngine(definition, root);
    if (lack !== null) {
      say(`${definition.target}: unavailable: ${lack}`);
      continue;
    }
    for (const tier of tiersOf(definition.connector.manifest.factors)) {
      try {
        tests.push(await killTest(input, workload, atLevel(definition, tier.level), tier));
      } catch (error) {
        say(`${definition.target}, ${wordsOf(tier)}: not tested: ${messageOf(error)}`);
      }
    }
  }
  if (tests.length === 0) return exitCodes.void;
  say(`stored for later runs: ${await storeKillTests(root, tests)}`);
  const { renderKillTests, terminalOptions } = await import('@fair-bench/report');
  process.stdout.write(renderKillTests(tests, terminalOptions(process.stdout, false)));
  const lost = tests.some(
    ({ level, kills }) => level === 'durable' && kills.some(({ outcome }) => outcome === 'lost'),
  );
  return lost ? exitCodes.void : exitCodes.ok;
}

/** An engine inside the native load client is built before its tests, which have no time for it. */
async function lackOfEngine({ connector }: TargetDefinition, root: string): Promise<string | null> {
  const engine = engineOf(connector);
  if (engine === null) return null;
  const onProgress = (line: string): void => say(`native load client: ${line}`);
  const client = await prepareNativeClient({
    root,
    signal: new AbortController().signal,
    onProgress,
    engine,
  });
  return client.available ? null : `${client.reason}; ${client.remedy}`;
}

type Tier = Pick<KillTest, 'level' | 'batch'>;

/** Every level of a route, and durable once more where a batch of operations can be acknowledged together. */
function tiersOf({ durability, batch }: RouteFactors): readonly Tier[] {
  const alone = durability.map((level): Tier => ({ level, batch: 1 }));
  const together: readonly Tier[] =
    batch.length > 0 && durability.includes('durable') ? [{ level: 'durable', batch: killBatch }] : [];
  return [...alone, ...together];
}

function wordsOf({ level, batch }: Tier): string {
  return batch === 1 ? level : `${level}, batches of ${batch}`;
}

function atLevel(definition: TargetDefinition, durability: KillTest['level']): TargetDefinition {
  return { ...definition, settings: { ...definition.settings, durability } };
}

async function killTest(
  { options, dataDirectory }: KillTestInput,
  workload: LoadedWorkload,
  definition: TargetDefinition,
  tier: Tier,
): Promise<KillTest> {
  const { connector } = definition;
  const route = await loadConnector(connector);
  const clientModulePath = sessionsPathOf({ found: connector, connector: route });
  if (clientModulePath === null) throw new Error('no sessions of Node reach it');
  return await killTarget({
    route,
    connector: connector.name,
    options: optionsOf(definition, workload),
    workload,
    clientModulePath,
    batch: tier.batch,
    kills: options.kills,
    dataRoot: options.dataDir ?? dataDirectory ?? undefined,
    onKill: (line) => say(`${definition.target}, ${wordsOf(tier)}, ${line}`),
  });
}

/** As a run would start it for this load. */
function optionsOf(definition: TargetDefinition, workload: LoadedWorkload): TargetOptions {
  const point = pointAt(workload, { seed: '42', param: [] }, {});
  const spec = {
    target: definition,
    client: definition.connector.nodeClientPath === null ? 'native' : 'node',
    point,
    sessions: killSessions,
    depth: killDepth,
    batch: 1,
  } as const;
  const plan = assemblePlan({
    id: 'kill-test',
    mode: 'fair',
    command: ['kill-test'],
    options: {
      seed: '42',
      trials: 1,
      duration: 700,
      warmup: 0,
      threads: 1,
      inDoubtMax: 1,
      faultsMax: 1,
      measureAgain: 0,
    },
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
