import {
  Artifacts,
  type Cell,
  type Environment,
  type NoiseFloor,
  type RunPlan,
  type RunSummary,
  type SummaryInput,
  describeContention,
  type TrialRecord,
  type UnavailableCell,
  noiseFloorFile,
  readNoiseFloor,
  type Question,
  storeIsolation,
} from '@fair-bench/results';
import { describeStorage, messageOf } from '@fair-bench/contract';
import { createSupervisor } from '@fair-bench/supervisor';
import { observedInTrials, summarize } from '@fair-bench/analysis';
import { rulesInWords } from '@fair-bench/workload';
import type { RunContext } from '../measure/run-context.ts';
import { CellCores } from '../probes/cell-cores.ts';
import { type Pinning, pinning } from '../probes/cores.ts';
import { captureEnvironment } from '../probes/environment.ts';
import { gatherDurability } from '../durability/durability-stage.ts';
import { repeatBudget } from '../measure/measure-again.ts';
import { LoadAgents } from '../measure/load-agents.ts';
import { LoadProcesses } from '../measure/load-client-process.ts';
import { type CellClient, LoadClients } from '../measure/load-clients.ts';
import { WireDepths } from '../measure/wire-depth.ts';
import {
  describeTrial,
  measureCellAgain,
  type TrialResources,
  measureRounds,
  type PlannedTrial,
  type Rounds,
} from '../measure/rounds.ts';
import { searchBestPoints, type SearchFindings, searchTrialsMax } from '../search/search-stage.ts';
import { Targets, type TargetState } from '../provision/targets.ts';
import { targetOutcomes } from './target-outcomes.ts';
import { writeReports } from './write-reports.ts';
import { measureRoundTrips } from '../probes/round-trip.ts';
import { StorageProbes } from '../probes/storage.ts';

/**
 * Runs a plan: provision → search, if the plan has one → rounds of (seed → measure → audit) → report. In every case
 * nothing is left running when this settles, and the summary has everything measured. An abort of the context's
 * signal ends the run early with `interrupted` in the summary; it does not reject.
 */
export async function runBenchmark(plan: RunPlan, context: RunContext): Promise<RunSummary> {
  const startedAt = new Date().toISOString();
  const { question = {}, connectors, signal } = context;
  const artifacts = new Artifacts(context.directory);
  await artifacts.open();
  await artifacts.write('plan.json', plan);
  for (const [name, part] of Object.entries(question)) await artifacts.write(`${name}.json`, part);
  const pinned = await pinning(plan.pin, Math.max(1, ...plan.cells.map(({ threads }) => threads)));
  const supervisor = createSupervisor({
    logDirectory: artifacts.logDirectory,
    cores: pinned.cores?.servers ?? null,
    signal,
    dataRoot: context.dataDirectory,
  });
  const targets = new Targets(plan, { ...context, supervisor });
  const storage = new StorageProbes();
  await using processes = new LoadProcesses();
  await using agents = await LoadAgents.open(context.loadAgents, plan.id, context.root);
  try {
    const states = await provisionAll(plan, targets, context);
    const environment = await describeMachine(context, states, storage, pinned, agents);
    await artifacts.write('environment.json', environment);
    const noiseFloor = await storedNoiseFloor(context, environment, artifacts);
    const outcomes = await targetOutcomes(plan, { states, connectors, context });
    await artifacts.write('targets.json', outcomes);
    const durability = await gatherDurability({ planned: plan.targets, states, targets, storage, context });
    await artifacts.write('durability.json', durability);
    const { clients, apartMs } = await prepareClients(plan, context);
    // Its proxy is on this machine, unreachable for load clients elsewhere.
    const wire = new WireDepths();
    const cores = await CellCores.of(plan.cells, pinned);
    const resources = { context, targets, clients, processes, agents, storage, cores, wire };
    const lacking = (cell: Cell): string | null => lackOf(states.get(cell.target), clients.of(cell));
    const run = { artifacts, resources, apartMs };
    const { plan: settled, search } = await searchPoints({ ...run, plan, lacking });
    const isMeasurable = (cell: Cell): boolean => lacking(cell) === null;
    const broken = signal.aborted ? [] : cellsWithBrokenEnds(question, settled, isMeasurable);
    const unavailableCells = [...cellsWithoutMeans(settled, { ...resources, states }), ...broken];
    await artifacts.write('unavailable-cells.json', unavailableCells);
    const isDue = (cell: Cell): boolean =>
      isMeasurable(cell) && !unavailableCells.some(({ cellId }) => cellId === cell.id);
    const isSearched = search.length > 0;
    const rounds = { ...run, plan: settled, isMeasurable: isDue, isSearched };
    const { plan: measured, trials } = await measureRounds(rounds);
    if (measured !== settled) await artifacts.write('plan.json', measured);
    return await conclude(context, artifacts, {
      plan: measured,
      environment,
      targets: outcomes,
      trials,
      durability,
      search,
      question,
      unavailableCells,
      ...(noiseFloor === null ? {} : { noiseFloor }),
      startedAt,
      endedAt: new Date().toISOString(),
      interrupted: signal.aborted,
    });
  } finally {
    for (const failure of await targets.closeAll()) context.display.message(failure);
    await supervisor.stopAll();
    for (const failure of artifacts.failures) context.display.message(failure);
  }
}

/** The summary, with the outputs made from it. */
async function conclude(
  { directory, root, display }: RunContext,
  artifacts: Artifacts,
  input: SummaryInput,
): Promise<RunSummary> {
  const { startedAt, endedAt, interrupted } = input;
  const observed = observedInTrials(input);
  if (observed.length > 0) {
    await storeIsolation(root, observed).catch((error: unknown) => display.message(messageOf(error)));
  }
  const summary = summarize(input);
  await artifacts.write('run.json', { startedAt, endedAt, interrupted });
  await writeReports(directory, summary, input.trials).catch((error: unknown) => {
    artifacts.failures.push(`results: ${messageOf(error)}; free disk space and run again`);
  });
  return summary;
}

/** An unreadable noise-floor file is reported and ignored. */
async function storedNoiseFloor(
  context: RunContext,
  environment: Environment,
  artifacts: Artifacts,
): Promise<NoiseFloor | null> {
  const noiseFloor = await readNoiseFloor(context.root, environment).catch((error: unknown) => {
    context.display.message(messageOf(error));
    return null;
  });
  if (noiseFloor !== null) await artifacts.write(noiseFloorFile, noiseFloor);
  return noiseFloor;
}

async function provisionAll(
  plan: RunPlan,
  targets: Targets,
  { workload, display, signal }: RunContext,
): Promise<ReadonlyMap<string, TargetState>> {
  const states = new Map<string, TargetState>();
  for (const line of rulesInWords(workload.description)) display.message(`${workload.name}: ${line}`);
  // One after the other: targets of one system wait for the same server.
  for (const target of plan.targets) {
    if (signal.aborted) break;
    const state = await targets.provision(target);
    states.set(target.target, state);
    display.message(`${target.target}: ${describeState(state)}`);
    if (state.status !== 'ready') continue;
    const rehearsed = await targets.rehearse(target, state);
    states.set(target.target, rehearsed);
    display.message(`${target.target}: ${describeRehearsed(rehearsed)}`);
  }
  return states;
}

function describeState(state: TargetState): string {
  if (state.status === 'interrupted') return 'interrupted while it was started';
  if (state.status === 'unavailable') return `unavailable: ${state.reason}; ${state.remedy}`;
  if (state.status === 'lost') return `${state.reason}; ${state.remedy}`;
  const { system, provider, durability, storage } = state.facts;
  return `ready (${system.name} ${system.version}, ${provider}, ${durability}, ${describeStorage(storage)})`;
}

function describeRehearsed(state: TargetState): string {
  return state.status === 'ready' && state.contention !== undefined
    ? describeContention(state.contention)
    : describeState(state);
}

async function describeMachine(
  context: RunContext,
  states: ReadonlyMap<string, TargetState>,
  storage: StorageProbes,
  pinned: Pinning,
  agents: LoadAgents | null,
): ReturnType<typeof captureEnvironment> {
  const ready = [...states.values()].filter((state) => state.status === 'ready');
  const directories = ready.flatMap(({ storageDirectory }) => storageDirectory ?? []);
  const directory = directories[0] ?? context.directory;
  const probe = await storage.of(directories[0] ?? null);
  return await captureEnvironment({
    root: context.root,
    dataRoot: directory,
    fsyncPerSecond: probe?.fsyncPerSecond ?? null,
    pinning: pinned.words,
    roundTrips: await measureRoundTrips(context.urls, context.signal),
    // Where agents are missing by now, each trial says so.
    loadAgents: (await agents?.machines().catch(() => [])) ?? [],
  });
}

/** Why a cell cannot be measured here; null if it can. */
function lackOf(state: TargetState | undefined, client: CellClient): string | null {
  if (state?.status === 'unavailable' || state?.status === 'lost') return `${state.reason}; ${state.remedy}`;
  if (state?.status !== 'ready') return 'interrupted while it was started';
  return client.available ? null : `${client.reason}; ${client.remedy}`;
}

interface SearchRun extends Omit<Rounds, 'isMeasurable' | 'isSearched'> {
  readonly lacking: (cell: Cell) => string | null;
}

/** If the plan requests a search: finds each system's best point, and returns the plan with these. */
async function searchPoints(run: SearchRun): Promise<SearchFindings> {
  const { plan, artifacts, lacking, apartMs } = run;
  const resources = { ...run.resources, wire: null };
  if (plan.search === undefined) return { plan, search: [] };
  const { display, signal, earlierSearch: earlier = [] } = resources.context;
  await artifacts.open('search');
  await artifacts.write('search/plan.json', plan);
  const trialsMax = searchTrialsMax(plan);
  const { endsAtMs } = plan.search;
  const mayAgain = repeatBudget(trialsMax, endsAtMs === undefined ? undefined : endsAtMs + apartMs);
  const againMax = plan.disturbedAgainMax;
  const aside = { artifacts, folder: 'search/set-aside' } as const;
  const tried = new Map<string, number>();
  let count = 0;
  const measure = async (trialRun: PlannedTrial['run'], cell: Cell): Promise<TrialRecord> => {
    count += 1;
    const round = tried.get(cell.id) ?? 0;
    tried.set(cell.id, round + 1);
    display.trialStarted(`search ${cell.id}`, count, trialsMax);
    const trial = {
      run: trialRun,
      cell,
      round,
      next: cell,
      logPath: artifacts.path(`search/${cell.id}.log`),
    };
    const again = { againMax, voidsMax: 1, mayAgain, aside };
    const record = await measureCellAgain(resources, trial, again);
    await artifacts.write(`search/${cell.id}-${round}.json`, record);
    display.trialEnded(describeTrial(record), record.status === 'ok');
    return record;
  };
  const onFound = (line: string): void => display.message(line);
  const elapsedMs = (): number => performance.now() - apartMs;
  const stage = { plan, lacking, measure, elapsedMs, earlier, onFound, signal };
  const findings = await searchBestPoints(stage, plan.search);
  await artifacts.write('search.json', findings.search);
  await artifacts.write('plan.json', findings.plan);
  return findings;
}

/**
 * The native client is built once, and only if a cell of the plan needs it. That may take a minute, which no budget
 * counts.
 */
async function prepareClients(
  plan: RunPlan,
  context: RunContext,
): Promise<{ readonly clients: LoadClients; readonly apartMs: number }> {
  const startMs = performance.now();
  const { root, signal, display } = context;
  const onProgress = (line: string): void => display.message(`native load client: ${line}`);
  const clients = await LoadClients.prepare(plan.cells, plan, context.connectors, {
    root,
    signal,
    onProgress,
  });
  return { clients, apartMs: (context.beganMs ?? 0) + performance.now() - startMs };
}

/** Cells of available targets without a load client, or whose servers cannot have the requested processors. */
function cellsWithoutMeans(
  plan: RunPlan,
  {
    clients,
    cores,
    context,
    states,
  }: Pick<TrialResources, 'clients' | 'cores' | 'context'> & { states: ReadonlyMap<string, TargetState> },
): UnavailableCell[] {
  if (context.signal.aborted) return [];
  return plan.cells.flatMap((cell) => {
    const client = clients.of(cell);
    if (!client.available) return [{ cellId: cell.id, reason: client.reason, remedy: client.remedy }];
    const state = states.get(cell.target);
    const lack = state?.status === 'ready' ? cores.lack(cell, state.facts) : null;
    return lack === null ? [] : [{ cellId: cell.id, ...lack }];
  });
}

/**
 * The cells between two ends of which one is unavailable: they would explain nothing, so they are not measured. Empty
 * if both ends are available, or no gap is explained.
 */
function cellsWithBrokenEnds(
  { explain }: Question,
  { cells }: RunPlan,
  isMeasurable: (cell: Cell) => boolean,
): readonly UnavailableCell[] {
  if (explain === undefined) return [];
  const last = 2 ** explain.changes.length - 1;
  const ends = explain.cells.filter(({ mask }) => mask === 0 || mask === last);
  const lost = cells.filter((cell) => ends.some(({ cellId }) => cellId === cell.id) && !isMeasurable(cell));
  if (lost.length === 0) return [];
  const reason = `an end of the gap is unavailable: ${lost.map(({ id }) => id).join(', ')}`;
  return cells
    .filter(isMeasurable)
    .map(({ id }) => ({ cellId: id, reason, remedy: 'make both targets available and run again' }));
}
