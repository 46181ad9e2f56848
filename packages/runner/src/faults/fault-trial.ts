import { rm } from 'node:fs/promises';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { judgeFault } from '@fair-bench/analysis';
import {
  type Endpoint,
  type Facts,
  logDirectoryOf,
  messageOf,
  type Route,
  type TargetOptions,
  type ClusterNode,
} from '@fair-bench/contract';
import type { LoadClientCommand } from '@fair-bench/load-client';
import type {
  Cell,
  FaultTrial,
  MeasuredFaultTrial,
  RunPlan,
  TimedFault,
  TrialPlan,
  TrialResult,
} from '@fair-bench/results';
import type { Cores } from '@fair-bench/supervisor';
import type { WorkloadDescription } from '@fair-bench/workload';
import { type KillableTarget, withKillableTarget } from '../durability/killable-target.ts';
import { onThisMachine, type TrialEvents } from '../measure/load-client-process.ts';
import { trialPlan } from '../measure/trial-plan.ts';
import { bounded, seed } from '../seed/seed.ts';
import type { Arrangement, ArrangedFault, Reach } from './arranged-fault.ts';
import { inject, type Injected } from './injection.ts';
import { faultsByKind } from './kinds.ts';
import { rowsAfterFault } from './rows-after-fault.ts';

const controlTimeoutMs = 30_000;
/** Code of new servers is compiled meanwhile; a warm-up goes on until throughput is steady. */
const warmupMs = 2_500;
const drainMs = 10_000;
/** After a fault is over the same load goes on for so long. */
const afterMs = 4_000;
/** A server that was killed has so long to come back. */
const comingBackMsMax = 60_000;
/** A target that runs and does not answer for so long is started again by hand. */
const answerMsMax = 10_000;

export interface FaultTrialSetting extends Omit<Arrangement, 'fault' | 'directory'> {
  readonly run: Pick<RunPlan, 'id' | 'inDoubtShareMax' | 'faultsShareMax'>;
  readonly cell: Cell;
  readonly connector: string;
  readonly route: Route;
  readonly options: TargetOptions;
  /** The servers of the user's cluster; empty for servers that are started for the trial. */
  readonly nodes?: readonly ClusterNode[];
  readonly workload: WorkloadDescription;
  readonly client: { readonly command: LoadClientCommand; readonly client: TrialPlan['client'] };
  readonly fault: TimedFault;
  /** From 0. */
  readonly trial: number;
  readonly ratePerSecond: number;
  readonly directory: Arrangement['directory'];
  /** The processors of its servers; null means all. */
  readonly cores: Cores | null;
  /** The data directory of servers, if the user chose one. */
  readonly dataRoot: string | null;
  /** For the logs of its servers. */
  readonly logDirectory: string;
  /** Where the outcome log is kept until it is audited. */
  readonly logPath: string;
  readonly onEvent?: TrialEvents;
}

/**
 * One trial with a fault in its window, on a target of its own that is started for it and removed after it. Never rejects: the record
 * says what went wrong.
 */
export async function runFaultTrial(setting: FaultTrialSetting): Promise<FaultTrial> {
  const { cell, connector, fault, trial, signal } = setting;
  const identity = { cellId: cell.id, target: cell.target, connector, fault, trial };
  try {
    await using arranged = await faultsByKind[fault.kind].arrange(setting);
    const { route, options, nodes = [], dataRoot, cores, logDirectory } = setting;
    const root = arranged.dataRoot ?? dataRoot ?? undefined;
    const found = await withKillableTarget(
      { route, options, nodes, dataRoot: root, logDirectory, signal, cores, restartMsMax: comingBackMsMax },
      async (target) => await measured(setting, arranged, target),
    );
    const record: MeasuredFaultTrial = { status: 'ok', ...identity, ...found };
    const broken = judgeFault(record);
    if (broken === null) await rm(setting.logPath, { force: true });
    return broken === null ? record : { status: 'void', ...identity, ...broken };
  } catch (error) {
    if (signal.aborted) return { status: 'interrupted', ...identity };
    return { status: 'void', ...identity, reason: messageOf(error) };
  }
}

type Found = Omit<MeasuredFaultTrial, 'status' | 'cellId' | 'target' | 'connector' | 'fault' | 'trial'>;

async function measured(
  setting: FaultTrialSetting,
  arranged: ArrangedFault,
  target: KillableTarget,
): Promise<Found> {
  const { cell, workload, signal, fault } = setting;
  const { deployment } = target;
  const seeded = await seed({ cell, workload, deployment, signal });
  await deployment.prepare(bounded(signal, controlTimeoutMs), cell.poolSize);
  const facts = await deployment.facts(bounded(signal, controlTimeoutMs));
  checkDataRoot(arranged, facts);
  await arranged.settle?.();
  const { result, injected } = await underLoad(setting, arranged, target);
  const isDeadly = fault.kind === 'kill' || fault.kind === 'power-cut';
  const hasNodes = (setting.nodes ?? []).length > 0;
  const back = injected.gone === null ? await bringBack(target, { isDeadly, hasNodes }, signal) : injected;
  const { course, rows } = await rowsAfterFault({
    seeded,
    result,
    injected,
    gone: back.gone,
    // The other nodes of a cluster go on.
    isDeadly: isDeadly && !hasNodes,
    signal,
  });
  const forgotten = arranged.forgotten?.();
  const notBack = target.notBack();
  return {
    system: facts.system.name,
    version: facts.system.version,
    durability: facts.durability,
    ratePerSecond: setting.ratePerSecond,
    batch: cell.batch,
    result,
    course: { ...course, ...(forgotten === undefined ? {} : { forgotten }) },
    rows,
    startedByHand: 'startedByHand' in back ? back.startedByHand : 0,
    ...(notBack === null ? {} : { notBack }),
  };
}

/** A fault of a disk says nothing of data that lie elsewhere. */
function checkDataRoot({ dataRoot }: ArrangedFault, facts: Facts): void {
  if (dataRoot === undefined) return;
  const directory = logDirectoryOf(facts);
  if (directory === null || relative(dataRoot, directory).startsWith('..'))
    throw new Error(
      `its data lie in ${directory ?? 'a place that is not seen'}, not on the disk that was made for them`,
    );
}

/** The load of a trial, with the fault in its window. */
async function underLoad(
  setting: FaultTrialSetting,
  arranged: ArrangedFault,
  target: KillableTarget,
): Promise<{ readonly result: TrialResult; readonly injected: Injected }> {
  const { client, fault, signal, onEvent } = setting;
  const { endpoint, command } = await reached(arranged, {
    endpoint: target.deployment.endpoint,
    command: client.command,
  });
  const ended = new AbortController();
  const enough = new AbortController();
  const { promise: windowBegan, resolve: begin } = Promise.withResolvers<void>();
  const injecting = windowBegan.then(async () => {
    const injected = await inject(arranged, target, fault, AbortSignal.any([signal, ended.signal]));
    await sleep(afterMs, undefined, { signal: ended.signal }).catch(() => undefined);
    enough.abort();
    return injected;
  });
  // What the load client says comes first.
  injecting.catch(() => enough.abort());
  await using load = onThisMachine(command)();
  try {
    const result = await load.run(
      planOf(setting, endpoint),
      (event) => {
        if (event.type === 'phase' && event.phase === 'window') begin();
        onEvent?.(event);
      },
      signal,
      // The window ends when the fault is over and its consequences are seen, however long that takes.
      enough.signal,
    );
    signal.throwIfAborted();
    return { result, injected: await injecting };
  } finally {
    // A fault that is in force is ended in any case.
    ended.abort(new Error('the load ended before the fault'));
    begin();
    await injecting.catch(() => undefined);
  }
}

async function reached(arranged: ArrangedFault, reach: Reach): Promise<Reach> {
  return (await arranged.reach?.(reach)) ?? reach;
}

/** An open loop whose operations have all the time that they need: none times out, and no outage ends the trial. */
function planOf(setting: FaultTrialSetting, endpoint: Endpoint): TrialPlan {
  const { run, cell, fault, trial, workload: description, client, logPath, ratePerSecond } = setting;
  const windowMs = fault.atMs + fault.lengthMs + comingBackMsMax + afterMs;
  const timing = { warmupMs, windowMs, windowMsMax: windowMs, drainMs, operationMs: windowMs + drainMs };
  const loop = { kind: 'open', ratePerSecond } as const;
  return trialPlan(
    { run: { ...run, loop, timing }, description },
    cell,
    `${run.id}/${cell.id}-${fault.kind}-${trial}`,
    endpoint,
    { client: client.client, log: logPath },
  );
}

/** Starts what has ended besides the fault, or all that runs and does not answer; says how many, or why nothing helps. */
async function bringBack(
  target: KillableTarget,
  { isDeadly, hasNodes }: { readonly isDeadly: boolean; readonly hasNodes: boolean },
  signal: AbortSignal,
): Promise<{ readonly startedByHand: number; readonly gone: string | null }> {
  let startedByHand = 0;
  try {
    startedByHand = await target.restart();
    // A cluster is what its address leads to.
    if (hasNodes) {
      const isThere = await answers(target, signal);
      return {
        startedByHand,
        gone: isThere ? null : `its address does not answer for ${answerMsMax / 1_000} s`,
      };
    }
    // A server that was started again has answered, and a deployment only knows the processes that it began with.
    const isNew = isDeadly || startedByHand > 0;
    if (isNew || (await answers(target, signal))) return { startedByHand, gone: null };
    await target.kill();
    return { startedByHand: await target.restart(), gone: null };
  } catch (error) {
    signal.throwIfAborted();
    return { startedByHand, gone: messageOf(error) };
  }
}

async function answers({ deployment }: KillableTarget, signal: AbortSignal): Promise<boolean> {
  const until = Date.now() + answerMsMax;
  for (;;) {
    try {
      await deployment.check(bounded(signal, answerMsMax));
      return true;
    } catch {
      signal.throwIfAborted();
      if (Date.now() > until) return false;
      await sleep(100);
    }
  }
}
