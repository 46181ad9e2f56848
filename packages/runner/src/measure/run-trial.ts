import { rm } from 'node:fs/promises';
import {
  type Cell,
  seedOfRound,
  type TrialPlan,
  type TrialRecord,
  unmeasuredTrial,
} from '@fair-bench/results';
import { type Facts, isInLoadClient, messageOf } from '@fair-bench/contract';
import { judge } from '@fair-bench/analysis';
import { ColdStart } from './cold-start.ts';
import { coresOfTrees } from '../probes/cell-cores.ts';
import { coresOf, CoresReader } from '../probes/cores.ts';
import { engineFiles } from '../probes/engine-files.ts';
import { endAll, type TrialProbe } from '../probes/trial-probe.ts';
import { SliceProbe } from '../probes/slice-probe.ts';
import { bounded, seed } from '../seed/seed.ts';
import { beginSlice, endSlice, sessionsOf } from '../seed/slices.ts';
import { canariesOf, plannedCanaries } from './canaries.ts';
import { controlTimeoutMs, EvidenceCollector } from './evidence-collector.ts';
import type { ReadyClient, TrialEvents } from './load-client-process.ts';
import { naturalCanariesOf, plannedWatched } from './natural-canaries.ts';
import { changedRowsOf, plannedChanges } from './rows-changes.ts';
import { trialPlan } from './trial-plan.ts';
import { interruptedReason, toRecord } from './trial-record.ts';
import type { TrialSetting } from './trial-setting.ts';

/**
 * Runs one trial of a cell on a running target: seed, settle, measure, audit, judge. Runs, tools and the conformance
 * suite all use it. Never rejects: the record says what went wrong.
 */
export async function runTrial(planned: TrialSetting): Promise<TrialRecord> {
  const { cell, round, signal, deploymentOrdinal, slice } = planned;
  const probes = [...probesOf(planned)];
  const own = {
    cellId: cell.id,
    round,
    ...(deploymentOrdinal === undefined ? {} : { deployment: deploymentOrdinal }),
  };
  let facts: Facts | null = null;
  try {
    // Slices are of one seed, by sessions of their own.
    const setting = { ...planned, cell: cellInRound(cell, slice === undefined ? round : 0) };
    const { deployment, run, onStage } = setting;
    onStage?.('seed');
    await using client = setting.loadClient();
    const { parameters } = setting.cell;
    const sessions = sessionsOf(cell, slice);
    // Rows of canaries would stay, from slice to slice; the operations that are watched are of the load.
    const canaries = slice === undefined ? canariesOf(setting.workload, parameters, run.timing.windowMs) : [];
    const seeded =
      slice === undefined
        ? { ...(await seed({ ...setting, canaries })), isSeeded: true }
        : await beginSlice(setting);
    if (slice !== undefined) probes.push(new SliceProbe({ slice: slice.slice, seeded: seeded.isSeeded }));
    const outstandingOnWire = await onWire(setting);
    onStage?.('settle');
    // What a system leaves for later is a part of a long load.
    if (seeded.isSeeded) await deployment.prepare(bounded(signal, controlTimeoutMs), cell.poolSize);
    facts = await deployment.facts(bounded(signal, controlTimeoutMs));
    for (const probe of probes) await probe.begin?.(deployment, bounded(signal, controlTimeoutMs), facts);
    // Nobody else reads an engine in the load client.
    const isElsewhere = !isInLoadClient(facts);
    const watched = isElsewhere ? naturalCanariesOf(setting.workload, parameters, sessions) : [];
    const changed =
      isElsewhere && sharesMachine(client) ? changedRowsOf(setting.workload, parameters, sessions) : null;
    const beside = { canaries, watched, changed };
    await using collector = await EvidenceCollector.before(setting, { ...seeded, ...beside }, facts);
    onStage?.('start');
    collector.start(client);
    const onEvent: TrialEvents = (event) => {
      collector.hear(event);
      for (const probe of probes) probe.hear?.(event, client.pid);
      if (event.type === 'phase') onStage?.(event.phase);
      setting.onEvent?.(event);
    };
    const sent = {
      canaries: plannedCanaries(canaries),
      ...plannedWatched(watched),
      ...plannedChanges(collector.changed),
    };
    const plan = { ...planOf(setting, `${cell.id}-r${round}`), ...sent };
    const result = await client.run(plan, onEvent, signal);
    const { evidence, usage, windowWrittenBytes, logs, left } = await collector.finish(
      result,
      outstandingOnWire,
    );
    if (slice !== undefined && left !== null) endSlice(deployment, seeded, left);
    const { log } = setting.paths;
    const isAudited = evidence.state.status === 'passed';
    if (isAudited && log !== null) await rm(log, { force: true });
    const { host } = evidence;
    const ended = { result, workload: seeded.workload, logs, deployment, isAudited, windowWrittenBytes };
    const probed = await endAll(probes, ended);
    const found = { usage, streamSeed: seedOf(setting.cell), ...probed };
    return toRecord({ ...own, ...(host === null ? {} : { host }) }, evidence, found, judge(evidence));
  } catch (error) {
    const status = signal.aborted ? 'interrupted' : 'void';
    const failure = messageOf(error);
    const inItsWords = probes.reduce((words, probe) => probe.reasonOf?.(words) ?? words, failure);
    return unmeasuredTrial(status, own, signal.aborted ? interruptedReason : inItsWords, facts);
  }
}

/** What every trial looks at, and what its run does besides. */
function probesOf({ cell, deployment, probes = [] }: TrialSetting): readonly TrialProbe[] {
  const servers = deployment.processes;
  const cores = new CoresReader(() => (cell.cores === undefined ? coresOf(servers) : coresOfTrees(servers)));
  return [cores, ...(cell.cold === true ? [new ColdStart()] : []), engineFiles, ...probes];
}

/** Whether its clock is the runner's: then a change and a read can be told apart in time. */
function sharesMachine({ pid }: ReadyClient): boolean {
  return pid !== undefined && process.platform === 'linux';
}

/** The cell with the seed of the round's operations. */
function cellInRound(cell: Cell, round: number): Cell {
  return { ...cell, parameters: { ...cell.parameters, seed: seedOfRound(seedOf(cell), round) } };
}

function seedOf({ id, parameters }: Cell): string {
  const own = parameters['seed'];
  if (typeof own !== 'string') throw new Error(`${id}: its parameters have no seed`);
  return own;
}

async function onWire(setting: TrialSetting): Promise<number | null> {
  const { cell, signal, wire } = setting;
  if (wire === undefined) return null;
  const plan = planOf(setting, 'wire');
  return await wire.depths.of(cell.target, { loadClient: wire.loadClient, plan, signal });
}

function planOf(setting: TrialSetting, name: string): TrialPlan {
  const { run, cell, deployment, paths, workload: description, slice } = setting;
  const sessions = sessionsOf(cell, slice);
  return trialPlan({ run, description, sessions }, cell, `${run.id}/${name}`, deployment.endpoint, paths);
}
