import { type Facts, messageOf } from '@fair-bench/contract';
import {
  type Cell,
  type DurabilityEvidence,
  killTestOf,
  type KnownLoss,
  type KillTest,
  type PlannedTarget,
  type PowerCuts,
  powerCutsOf,
  readKillTests,
  readPowerCuts,
  storeKillTests,
} from '@fair-bench/results';
import { resolveWorkload, smallParameters } from '@fair-bench/workload';
import { importClient } from '@fair-bench/load-client';
import { knownLosses } from '../claims/known-losses.ts';
import { sessionsPathOf } from '../discover/load.ts';
import type { RunContext } from '../measure/run-context.ts';
import type { StorageProbes } from '../probes/storage.ts';
import type { Targets, TargetState } from '../provision/targets.ts';
import { seed } from '../seed/seed.ts';
import { killTarget } from './kill-target.ts';
import { nothingToProbe, probeCommits } from './probe-commits.ts';

/** Few rows, so that seeding is short; one session never waits for a row. */
const probeRows = 1_000;
/** Kills of a server before the rounds: a few seconds each. */
const killsDefault = 3;

/** What the stage needs of a run. */
interface DurabilityStage {
  readonly planned: readonly PlannedTarget[];
  readonly cells: readonly Pick<Cell, 'target' | 'batch'>[];
  readonly states: ReadonlyMap<string, TargetState>;
  readonly targets: Targets;
  readonly storage: StorageProbes;
  /** Of a server whose durability was only requested; three unless given. */
  readonly kills?: number;
  readonly context: Pick<RunContext, 'root' | 'connectors' | 'workload' | 'signal' | 'dataDirectory'> & {
    readonly display: Pick<RunContext['display'], 'message'>;
  };
}

/**
 * Before the rounds, gathers what is known of each ready target's durability besides its facts: the stored kill test
 * of this version and file system and, where durability rests on our own request, a comparison of both levels on the
 * target; a server started by the run is then also killed under load, once per version and file system.
 * Never rejects: the evidence says what was unavailable.
 */
export async function gatherDurability(stage: DurabilityStage): Promise<readonly DurabilityEvidence[]> {
  const { planned, cells, states, storage, context } = stage;
  let killTests = await readKillTests(context.root).catch((error: unknown) => {
    context.display.message(messageOf(error));
    return [];
  });
  const beyond = await beyondKills(context);
  const compared = new Map<string, Promise<Levels>>();
  const { description } = context.workload;
  const failure = nothingToProbe(resolveWorkload(description, smallParameters(description)));
  const found: DurabilityEvidence[] = [];
  for (const target of planned) {
    const state = states.get(target.target);
    if (state?.status !== 'ready' || context.signal.aborted) continue;
    const probe = await storage.of(state.storageDirectory);
    const isRequested = state.facts.durabilityBasis?.status === 'requested';
    const key = JSON.stringify([target.connector, target.url, target.extra]);
    const isProbed = isRequested && failure === null;
    const levels = isProbed
      ? await (compared.get(key) ?? compareLevels(stage, target, state))
      : { levels: null, failure: isRequested ? failure : null };
    if (isProbed) compared.set(key, Promise.resolve(levels));
    // What a kill shows of batches holds for them only: the largest is in doubt most.
    const batches = cells.flatMap((cell) => (cell.target === target.target ? cell.batch : []));
    const killed = { ...target, batch: Math.max(1, ...batches) };
    const evidence = {
      target: target.target,
      syncMs: probe === null ? null : 1000 / probe.fsyncPerSecond,
      ...levels,
      killTest: storedTest(killTests, killed, state.facts),
      ...beyond(killed, state.facts),
    };
    const isKillable =
      process.platform === 'linux' && ['binary', 'embedded', 'in-process'].includes(state.facts.provider);
    const isDue = isProbed && state.facts.durability === 'durable' && evidence.killTest === null;
    if (!isDue || !isKillable) {
      found.push(evidence);
      continue;
    }
    // Targets of one system on one version and file system need one test.
    const killTest = await killNow(stage, killed);
    if (killTest !== null) killTests = [...killTests, killTest];
    found.push({ ...evidence, killTest });
  }
  return found;
}

/** A target, and the batch that it is killed with. */
type Killed = PlannedTarget & Pick<Cell, 'batch'>;

/** A kill test of the target, stored for later runs; null if it failed, with a message. */
async function killNow(
  { targets, context, kills = killsDefault }: DurabilityStage,
  target: Killed,
): Promise<KillTest | null> {
  const { root, workload, signal, display, dataDirectory } = context;
  const loaded = context.connectors.get(target.connector);
  const clientModulePath = loaded === undefined ? null : sessionsPathOf(loaded);
  if (loaded === undefined || clientModulePath === null) return null;
  const say = (line: string): void => display.message(`${target.target}: ${line}`);
  say(
    `its durability is only requested; killing the server under load ${kills} times (about 15 s, once per version and file system)`,
  );
  try {
    const test = await killTarget({
      route: loaded.connector,
      connector: target.connector,
      options: targets.optionsOf(target),
      workload,
      clientModulePath,
      batch: target.batch,
      kills,
      dataRoot: dataDirectory ?? undefined,
      signal,
      onKill: say,
    });
    await storeKillTests(root, [test]);
    return test;
  } catch (error) {
    if (!signal.aborted) say(`the kill test failed: ${messageOf(error)}`);
    return null;
  }
}

type Levels = Pick<DurabilityEvidence, 'levels' | 'failure'>;

async function compareLevels(
  { targets, storage, context }: DurabilityStage,
  target: PlannedTarget,
  { storageDirectory }: Extract<TargetState, { status: 'ready' }>,
): Promise<Levels> {
  const loaded = context.connectors.get(target.connector);
  const sessionsPath = loaded === undefined ? null : sessionsPathOf(loaded);
  const offered = loaded?.found.manifest.factors.durability ?? [];
  if (sessionsPath === null || offered.length < 2) {
    return { levels: null, failure: 'the target has no second level to compare with' };
  }
  context.display.message(`${target.target}: comparing durable with async commits`);
  try {
    const client = await importClient(sessionsPath);
    const probe = await storage.of(storageDirectory);
    const level = async (durability: 'durable' | 'async') => {
      const deployment = await targets.ensureAt(target, durability);
      const { description } = context.workload;
      const cell = { target: target.target, parameters: smallParameters(description, { rows: probeRows }) };
      const seeded = await seed({ cell, workload: description, deployment, signal: context.signal });
      await deployment.prepare(context.signal);
      const { sessionsMax: sessions, depthMax: depth } = targets.optionsOf(target);
      return await probeCommits({ deployment, client, seeded, storage: probe, load: { sessions, depth } });
    };
    return { levels: { durable: await level('durable'), async: await level('async') }, failure: null };
  } catch (error) {
    return { levels: null, failure: `both levels could not be compared: ${messageOf(error)}` };
  } finally {
    await targets.closeLevels(target);
  }
}

function storedTest(
  tests: readonly KillTest[],
  { connector, durability: level, batch }: Killed,
  { system, storage: { fileSystem } }: Facts,
): KillTest | null {
  return killTestOf(tests, {
    connector,
    level,
    batch,
    system: system.name,
    version: system.version,
    fileSystem,
  });
}

type BeyondKills = Pick<DurabilityEvidence, 'powerCuts' | 'knownLosses'>;

/** What stored power cuts and published losses say of a target. A broken file is reported and ignored. */
async function beyondKills({
  root,
  display,
}: DurabilityStage['context']): Promise<(target: Killed, facts: Facts) => BeyondKills> {
  const ignored = (error: unknown): readonly never[] => {
    display.message(messageOf(error));
    return [];
  };
  const stored: readonly PowerCuts[] = await readPowerCuts(root).catch(ignored);
  const known: readonly KnownLoss[] = await knownLosses(root).catch(ignored);
  return ({ connector, durability, batch, extra }, { system: { name: system, version }, provider }) => {
    const losses = known.filter((loss) => loss.system === system && loss.versions.includes(version));
    const published = losses.length === 0 ? {} : { knownLosses: losses };
    // A server that was named by its URL may be set up otherwise, and so may one with settings of the user's.
    if (provider === 'url' || Object.keys(extra).length > 0) return published;
    const at = (level: PowerCuts['level']): PowerCuts | null =>
      powerCutsOf(stored, { connector, level, batch, system, version });
    const [own, otherLevel] = [at(durability), at(durability === 'durable' ? 'async' : 'durable')];
    return { ...(own === null ? {} : { powerCuts: { own, otherLevel } }), ...published };
  };
}
