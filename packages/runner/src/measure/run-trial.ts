import { rm } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  type Cell,
  type PassedTrial,
  type Observed,
  type HostConditions,
  type Phase,
  seedOfRound,
  type TrialRecord,
  type TrialResult,
} from '@fair-bench/results';
import {
  type Deployment,
  type Facts,
  type Provider,
  type WorkCounters,
  logDirectoryOf,
  messageOf,
} from '@fair-bench/contract';
import type { Canary } from '@fair-bench/workload';
import { type TrialEvidence, judge } from '@fair-bench/analysis';
import { coresOfTrees } from '../probes/cell-cores.ts';
import { coresOf, CoresReader } from '../probes/cores.ts';
import type { StorageProbe } from '../probes/storage.ts';
import { auditRows, readAfter } from './after-trial.ts';
import { canariesOf, plannedCanaries } from './canaries.ts';
import { allowedMs, type LoadCarrier, type ReadyClient, type TrialEvents } from './load-client-process.ts';
import { DiskWatch } from './disk-watch.ts';
import { bounded, seed, type Seeded, type SeedSetting } from '../seed/seed.ts';
import { timingOf, trialPlan, type TrialPaths, type TrialRun } from './trial-plan.ts';
import { interruptedReason, toRecord } from './trial-record.ts';
import { Watch } from './watch.ts';
import type { WireDepths } from './wire-depth.ts';
import { type WindowUsage, WindowUsageReader } from './window-usage.ts';

const controlTimeoutMs = 30_000;
const auditTimeoutMs = 120_000;
/** How often the runner looks whether its event loop is late. */
const loopEveryMs = 10;

/** The phase of a trial, for the display. */
export type TrialStage = 'seed' | 'settle' | 'start' | Phase | 'audit';

export interface TrialSetting extends SeedSetting {
  readonly cell: Cell;
  readonly deployment: Deployment;
  readonly run: TrialRun;
  /** From 0. */
  readonly round: number;
  /** Measures the storage at the target's data directory; null if it is not visible. */
  readonly storage: (directory: string | null) => Promise<StorageProbe | null>;
  readonly loadClient: LoadCarrier;
  readonly paths: TrialPaths;
  /**
   * Counts the requests of a local load client's session on the wire; once per target and depth, so one probe for all
   * trials.
   */
  readonly wire?: { readonly depths: WireDepths; readonly loadClient: LoadCarrier };
  readonly onStage?: (stage: TrialStage) => void;
  readonly onEvent?: TrialEvents;
  /** Called with the load client's measurements before the audit, when nothing is timed any more. */
  readonly onMeasured?: (result: TrialResult) => void;
}

/**
 * Runs one trial of a cell on a running target: seed, settle, measure, audit, judge. Runs, tools and the conformance
 * suite all use it. Never rejects: the record says what went wrong.
 */
export async function runTrial(planned: TrialSetting): Promise<TrialRecord> {
  const { cell, round, signal } = planned;
  let facts: Facts | null = null;
  try {
    const setting = { ...planned, cell: cellInRound(cell, round) };
    setting.onStage?.('seed');
    await using client = setting.loadClient();
    const canaries = canariesOf(setting.workload, setting.cell.parameters, setting.run.timing.windowMs);
    const seeded = await seed({ ...setting, canaries });
    const outstandingOnWire = await onWire(setting);
    setting.onStage?.('settle');
    await setting.deployment.prepare(bounded(signal, controlTimeoutMs), cell.poolSize);
    const within = bounded(signal, controlTimeoutMs);
    facts = await setting.deployment.facts(within);
    const storage = await setting.storage(logDirectoryOf(facts));
    const disk = new DiskWatch(storage, writersOf(facts, setting.deployment));
    // Counters wait until they no longer rise.
    const counting = setting.deployment.counters(within);
    counting.catch(() => undefined);
    // A server that stops answering must not hold the trial for ever.
    const watching = bounded(
      signal,
      allowedMs({ timing: timingOf(setting.run) }) + controlTimeoutMs + auditTimeoutMs,
    );
    await using watch = await Watch.open(setting.deployment, seeded.workload, canaries, watching);
    const before = { facts, counters: await counting };
    setting.onStage?.('start');
    const measured = await measure(setting, client, disk, watch, canaries);
    setting.onStage?.('audit');
    const observed = {
      ...measured.observed,
      outstandingOnWire,
      ...committedInWindow(measured.result, watch),
    };
    return await audit(setting, { ...seeded, canaries }, before, { ...measured, observed }, watch);
  } catch (error) {
    const status = signal.aborted ? 'interrupted' : 'void';
    const reason = signal.aborted ? interruptedReason : messageOf(error);
    return { status, cellId: cell.id, round, reason, audit: null, facts, warnings: [] };
  }
}

/** The processes that write the log: of a server at a URL there may be none here, and its route writes none. */
function writersOf({ provider }: Facts, { processes }: Deployment): Deployment['processes'] {
  return provider === 'in-process' ? processes : processes.filter(({ role }) => role === 'database');
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
  const { run, cell, deployment, paths, workload: description, signal, wire } = setting;
  const plan = trialPlan({ run, description }, cell, `${run.id}/wire`, deployment.endpoint, paths);
  if (wire === undefined) return null;
  return await wire.depths.of(cell.target, { loadClient: wire.loadClient, plan, signal });
}

interface Observation {
  readonly facts: Facts;
  readonly counters: WorkCounters;
}

interface Measurement {
  readonly result: TrialResult;
  readonly usage: Promise<WindowUsage>;
  readonly storage: TrialEvidence['storage'];
  readonly writtenBytes: TrialEvidence['writtenBytes'];
  readonly windowMsSaid: TrialEvidence['windowMsSaid'];
  readonly windowHeard: TrialEvidence['windowHeard'];
  readonly cores: PassedTrial['cores'];
  readonly observed: Observed;
  /** The machine in the window; how the target was provided decides whether its processes are known. */
  readonly hostFor: (provider: Provider) => HostConditions | null;
}

async function measure(
  setting: TrialSetting,
  client: ReadyClient,
  disk: DiskWatch,
  watch: Watch,
  canaries: readonly Canary[],
): Promise<Measurement> {
  const { run, cell, round, deployment, paths } = setting;
  const { workload: description } = setting;
  const plan = trialPlan(
    { run, description },
    cell,
    `${run.id}/${cell.id}-r${round}`,
    deployment.endpoint,
    paths,
    plannedCanaries(canaries),
  );
  const usage = new WindowUsageReader(deployment.processes);
  const servers = deployment.processes;
  const cores = new CoresReader(() => (cell.cores === undefined ? coresOf(servers) : coresOfTrees(servers)));
  disk.begin();
  const heardMs = new Map<Phase, number>();
  let windowMsSaid: number | null = null;
  const loop = monitorEventLoopDelay({ resolution: loopEveryMs });
  const onEvent: TrialEvents = (event) => {
    if (event.type === 'canary') watch.canary(event);
    if (event.type === 'window') {
      windowMsSaid = event.windowMs;
      if (client.pid !== undefined) watch.windowSaid(event.windowMs);
    }
    if (event.type === 'phase') {
      heardMs.set(event.phase, Number(process.hrtime.bigint()) / 1e6);
      if (event.phase === 'warmup') {
        loop.enable();
        disk.loadBegins();
      }
      watch.phase(event.phase);
      usage.phase(event.phase);
      cores.phase(event.phase);
      setting.onStage?.(event.phase);
    }
    setting.onEvent?.(event);
  };
  if (client.pid !== undefined) cores.started(client.pid);
  const result = await client.carry(plan, onEvent, setting.signal).finally(() => loop.disable());
  const observed = await watch.observed();
  setting.onMeasured?.(result);
  return {
    result,
    usage: usage.usage(result.timing.windowMs),
    ...disk.seen(),
    windowMsSaid,
    windowHeard: windowHeardOf(result, heardMs, Math.max(0, loop.max / 1e6 - loopEveryMs)),
    cores: cores.cores(),
    observed,
    hostFor: (provider) =>
      usage.host(
        provider,
        result.agents?.flatMap(({ pid }) => pid ?? []),
      ),
  };
}

/** Processes of a machine share a clock, on Linux whatever they are written in. Agents have their own. */
function sharesClock({ agents }: TrialResult): boolean {
  return agents === undefined && process.platform === 'linux';
}

function committedInWindow(result: TrialResult, watch: Watch): Pick<Observed, 'committedInWindow'> {
  if (!sharesClock(result)) return {};
  const beginMs = result.timing.startUs / 1000 + result.timing.warmupMs;
  return {
    committedInWindow: watch
      .committed()
      .map(({ atMs, count, readMs }) => ({ afterMs: atMs - beginMs, count, readMs })),
  };
}

function windowHeardOf(
  result: TrialResult,
  heardMs: ReadonlyMap<Phase, number>,
  runnerLateMs: number,
): TrialEvidence['windowHeard'] {
  const [begin, end] = [heardMs.get('window'), heardMs.get('drain')];
  if (begin === undefined || end === undefined) return null;
  const { timing } = result;
  const isShared = sharesClock(result);
  const startMs = isShared ? timing.startUs / 1000 + timing.warmupMs : begin;
  return {
    beginAfterMs: isShared ? begin - startMs : null,
    endAfterMs: end - startMs - timing.windowMs,
    runnerLateMs,
  };
}

/**
 * Compares the database with the outcome log and judges all evidence. It also runs after an interruption, with its
 * own time limit: a measured number is kept only if its work was checked.
 */
async function audit(
  setting: TrialSetting,
  seeded: Seeded & { readonly canaries: readonly Canary[] },
  before: Observation,
  measured: Measurement,
  watch: Watch,
): Promise<TrialRecord> {
  const { cell, deployment, run, round } = setting;
  const never = new AbortController().signal;
  const within = bounded(never, auditTimeoutMs);
  // The operations are drawn again while the target settles; a scan is a transaction, and comes after it.
  const reading = readAfter(deployment, within);
  const rows = auditRows(seeded, { ...run, result: measured.result, settled: reading }, within);
  // Both end before the next trial, even if one fails.
  await Promise.allSettled([reading, rows]);
  const { inFlight, countersAfter, factsAfter } = await reading;
  const state = await rows;
  // The sessions have ended: what they left undone is done by now.
  const observed = { ...measured.observed, committedAfterTrial: await watch.committedNow() };
  const host = measured.hostFor(before.facts.provider);
  const evidence: TrialEvidence = {
    cell,
    loop: run.loop,
    result: measured.result,
    windowMsPlanned: { least: run.timing.windowMs, most: run.timing.windowMsMax },
    windowMsSaid: measured.windowMsSaid,
    windowHeard: measured.windowHeard,
    host,
    state,
    factsBefore: before.facts,
    factsAfter,
    countersBefore: before.counters,
    countersAfter,
    inFlight,
    storage: measured.storage,
    writtenBytes: measured.writtenBytes,
    observed,
  };
  const judgements = judge(evidence);
  if (state.status === 'passed' && setting.paths.log !== null) await rm(setting.paths.log, { force: true });
  const interrupted = measured.result.ending === 'stopped';
  const identity = { cellId: cell.id, round, ...(host === null ? {} : { host }) };
  const found = { ...measured, observed, usage: await measured.usage, streamSeed: seedOf(cell) };
  return toRecord(identity, evidence, found, judgements, interrupted);
}
