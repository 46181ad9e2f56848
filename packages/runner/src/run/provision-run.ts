import { isDeepStrictEqual } from 'node:util';
import { describeStorage, messageOf } from '@fair-bench/contract';
import {
  type Artifacts,
  describeContention,
  earlierRunsFile,
  type Environment,
  type IndexedRun,
  machineOf,
  type NoiseFloor,
  noiseFloorFile,
  readNoiseFloor,
  readRunIndex,
  type RunPlan,
  type SummaryInput,
  resultsFolder,
} from '@fair-bench/results';
import { gatherDurability } from '../durability/durability-stage.ts';
import { LoadClients } from '../measure/load-clients.ts';
import type { TrialResources } from '../measure/measure-cell.ts';
import type { RunContext } from '../measure/run-context.ts';
import { WireDepths } from '../measure/wire-depth.ts';
import { CellCores } from '../probes/cell-cores.ts';
import { captureEnvironment } from '../probes/environment.ts';
import { measureRoundTrips } from '../probes/round-trip.ts';
import type { Targets, TargetState } from '../provision/targets.ts';
import { targetOutcomes } from './target-outcomes.ts';
import type { Workbench } from './workbench.ts';

/** What trials are measured with. */
export interface Started {
  readonly resources: TrialResources;
  readonly states: ReadonlyMap<string, TargetState>;
  /** Milliseconds so far that no budget counts: before the run, and while native clients and engines were built. */
  readonly apartMs: number;
}

/** What a run is measured with, and what is known of it before its first trial. */
export interface Provisioned extends Started {
  readonly known: Pick<SummaryInput, 'environment' | 'targets' | 'durability' | 'noiseFloor' | 'earlierRuns'>;
}

/** Builds the load clients, and starts and rehearses every target. */
export async function startTargets(plan: RunPlan, bench: Workbench): Promise<Started> {
  const { context, targets, processes, agents, storage, memory } = bench;
  const { clients, apartMs } = await prepareClients(plan, context);
  const states = await provisionAll(plan, targets, context);
  const cores = await CellCores.of(plan.cells, bench.pinned);
  // The proxy of `wire` is on this machine, unreachable for load clients elsewhere.
  const wire = new WireDepths();
  const resources = { context, targets, processes, agents, storage, memory, clients, cores, wire };
  return { resources, states, apartMs };
}

/** Starts every target, and reads the machine and the evidence of durability. */
export async function provisionRun(plan: RunPlan, bench: Workbench): Promise<Provisioned> {
  const { artifacts, context, targets, storage } = bench;
  const started = await startTargets(plan, bench);
  const { states } = started;
  const environment = await describeMachine(bench, states);
  await artifacts.write('environment.json', environment);
  const noiseFloor = await storedNoiseFloor(context, environment, artifacts);
  const earlierRuns = await runsBefore(plan, context, environment);
  await artifacts.write(earlierRunsFile, earlierRuns);
  const outcomes = await targetOutcomes(plan, { states, connectors: context.connectors, context });
  await artifacts.write('targets.json', outcomes);
  const durability = await gatherDurability({
    planned: plan.targets,
    cells: plan.cells,
    states,
    targets,
    storage,
    context,
  });
  await artifacts.write('durability.json', durability);
  return {
    ...started,
    known: {
      environment,
      targets: outcomes,
      durability,
      earlierRuns,
      ...(noiseFloor === null ? {} : { noiseFloor }),
    },
  };
}

async function provisionAll(
  plan: RunPlan,
  targets: Targets,
  { display, signal }: RunContext,
): Promise<ReadonlyMap<string, TargetState>> {
  const states = new Map<string, TargetState>();
  // One after the other: targets of one system wait for the same server.
  for (const target of plan.targets) {
    if (signal.aborted) break;
    const { leftOut } = target;
    const state: TargetState =
      leftOut === undefined ? await targets.provision(target) : { status: 'unavailable', ...leftOut };
    states.set(target.target, state);
    display.message(
      `${target.target}: ${leftOut === undefined ? describeState(state) : `left out: ${leftOut.reason}; ${leftOut.remedy}`}`,
    );
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
  { context, targets, storage, pinned, agents }: Workbench,
  states: ReadonlyMap<string, TargetState>,
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
    roundTrips: await measureRoundTrips(
      context.urls,
      async (target) => (states.get(target)?.status === 'ready' ? await targets.observe(target) : null),
      context.signal,
    ),
    // Where agents are missing by now, each trial says so.
    loadAgents: (await agents?.machines().catch(() => [])) ?? [],
  });
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

/** Of the same workload, on this machine. An index that cannot be read is reported and ignored. */
async function runsBefore(
  { workloadSha256 }: RunPlan,
  { root, display }: RunContext,
  environment: Environment,
): Promise<readonly IndexedRun[]> {
  const index = await readRunIndex(resultsFolder(root)).catch((error: unknown) => {
    display.message(`earlier runs: ${messageOf(error)}`);
    return { runs: [] };
  });
  const machine = machineOf(environment);
  return index.runs.filter(
    (run) =>
      isDeepStrictEqual(run.machine, machine) &&
      run.cells.some((cell) => cell.workloadSha256 === workloadSha256),
  );
}

/**
 * The native client, and each engine that is built into one, is built once, and only if a cell of the plan needs it. That may take
 * minutes, which no budget counts; so it comes first: an engine's target could not start without it.
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
