import { rm } from 'node:fs/promises';
import { type Cell, seedOfRound, type TrialPlan, type TrialRecord } from '@fair-bench/results';
import { type Facts, isInLoadClient, messageOf } from '@fair-bench/contract';
import { judge } from '@fair-bench/analysis';
import { ColdStart } from './cold-start.ts';
import { dataWritten, engineFilesOf } from '../probes/engine-files.ts';
import { bounded, seed } from '../seed/seed.ts';
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
  const { cell, round, signal } = planned;
  let facts: Facts | null = null;
  try {
    const setting = { ...planned, cell: cellInRound(cell, round) };
    const { deployment, run, onStage } = setting;
    onStage?.('seed');
    await using client = setting.loadClient();
    const canaries = canariesOf(setting.workload, setting.cell.parameters, run.timing.windowMs);
    const { parameters, sessions } = setting.cell;
    const seeded = await seed({ ...setting, canaries });
    const outstandingOnWire = await onWire(setting);
    onStage?.('settle');
    await deployment.prepare(bounded(signal, controlTimeoutMs), cell.poolSize);
    facts = await deployment.facts(bounded(signal, controlTimeoutMs));
    await setting.memory?.begin(deployment, bounded(signal, controlTimeoutMs));
    const cold = cell.cold === true ? new ColdStart() : null;
    await cold?.begin(deployment, bounded(signal, controlTimeoutMs));
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
      cold?.hear(event);
      if (event.type === 'phase') onStage?.(event.phase);
      if (event.type === 'phase' && event.phase === 'warmup') setting.memory?.look(client.pid);
      setting.onEvent?.(event);
    };
    const sent = {
      canaries: plannedCanaries(canaries),
      ...plannedWatched(watched),
      ...plannedChanges(collector.changed),
    };
    const plan = { ...planOf(setting, `${cell.id}-r${round}`), ...sent };
    const result = await client.run(plan, onEvent, signal);
    const { evidence, windowWrittenBytes, ...found } = await collector.finish(result, outstandingOnWire);
    const { log } = setting.paths;
    if (evidence.state.status === 'passed' && log !== null) await rm(log, { force: true });
    const { host } = evidence;
    const identity = { cellId: cell.id, round, ...(host === null ? {} : { host }) };
    const memory = setting.memory?.read();
    const began = cold?.read(result);
    const files = evidence.state.status === 'passed' ? await engineFilesOf(deployment) : undefined;
    const data = dataWritten(seeded.workload, result);
    const more = {
      streamSeed: seedOf(setting.cell),
      ...(memory === undefined ? {} : { memory }),
      ...(began === undefined ? {} : { cold: began }),
      ...(files === undefined ? {} : { engineFiles: { windowWrittenBytes, ...data, ...files } }),
    };
    return toRecord(identity, evidence, { ...found, ...more }, judge(evidence));
  } catch (error) {
    const status = signal.aborted ? 'interrupted' : 'void';
    const failure = messageOf(error);
    const reason = signal.aborted ? interruptedReason : (planned.memory?.reasonOf(failure) ?? failure);
    return { status, cellId: cell.id, round, reason, audit: null, facts, warnings: [] };
  }
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
  const { run, cell, deployment, paths, workload: description } = setting;
  return trialPlan({ run, description }, cell, `${run.id}/${name}`, deployment.endpoint, paths);
}
