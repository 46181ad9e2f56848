import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cell, ClientName, PassedTrial, RunPlan } from '@fair-bench/results';
import type { Deployment, JsonObject } from '@fair-bench/contract';
import { createSupervisor, type RunSupervisor } from '@fair-bench/supervisor';
export { clientCpuUsOf } from '@fair-bench/analysis';
export { medianOf as median } from '@fair-bench/results';
import {
  type Catalog,
  type LoadClientSource,
  LoadProcesses,
  LoadClients,
  type LoadedWorkload,
  StorageProbes,
  Targets,
  type TrialSetting,
  brokenIn,
  buildPlan,
  chosenTargets,
  discoverFor,
  holdHost,
  loadConnectors,
  parseRunOptions,
  readEnvironment,
  runDefaults,
  runTrial,
  defaultWorkload,
  loadWorkload,
} from '@fair-bench/runner';
import { mkdtempDisposable } from 'node:fs/promises';

export interface BenchContext {
  readonly root: string;
  /** The folder of this bench's results. */
  readonly directory: string;
  readonly supervisor: RunSupervisor;
  readonly signal: AbortSignal;
}

/** What to measure; defaults are those of fair mode. */
export interface BenchTrial {
  /** The Node load client by default. */
  readonly client?: ClientName;
  readonly sessions?: number;
  readonly depth?: number;
  /** Of the load client; one by default. */
  readonly threads?: number;
  readonly alpha?: number;
  /** Other parameters of the workload than `alpha`. */
  readonly parameters?: JsonObject;
  readonly windowMs?: number;
  readonly warmupMs?: number;
  /** On newly started servers, which are broken in as in a run. */
  readonly isFirst?: boolean;
  /** An open loop over all sessions; closed by default. */
  readonly ratePerSecond?: number;
  /** A process of this machine by default. */
  readonly loadClient?: LoadClientSource;
  /** Called when a stage of the trial begins. */
  readonly onStage?: NonNullable<TrialSetting['onStage']>;
}

/** A running target of the bench. */
export interface BenchTarget {
  readonly deployment: Deployment;
  /** One audited trial as in a run. Rejects when it is void: a figure needs real work. */
  measure(trial: BenchTrial): Promise<PassedTrial>;
  /** Applied operations per second without the audit's bookkeeping, unaudited: only to price it. */
  rateWithoutLog(trial: BenchTrial): Promise<number>;
}

/** Targets that run side by side: those of one system on one server. */
export interface Bench extends AsyncDisposable {
  /** Starts a target at its first use. */
  target(name: string): Promise<BenchTarget>;
}

/** Opens a bench for targets by their names, as a run would. `settings` apply to the first of them. */
export async function openBench(
  context: BenchContext,
  names: readonly [string, ...string[]],
  settings: Readonly<Record<string, string>> = {},
  workloadName = defaultWorkload,
): Promise<Bench> {
  const workload = await loadWorkload(context.root, workloadName);
  const catalog = await discoverFor(context.root, workload);
  const set = Object.entries(settings).map(([key, value]) => `${names[0]}.${key}=${value}`);
  const plan = planOf(catalog, workload, names, set);
  const used = new Set(plan.targets.map(({ connector }) => connector));
  const connectors = await loadConnectors(catalog.connectors.filter(({ name }) => used.has(name)));
  const { supervisor, signal } = context;
  const targets = new Targets(plan, { connectors, workload, urls: {}, supervisor, signal });
  const clients = new Map<ClientName, Promise<LoadClients>>();
  // The native client is built at its first use, and once.
  const clientsFor = async (cell: Cell): Promise<LoadClients> => {
    const prepare = { root: context.root, signal, onProgress: say };
    const known = clients.get(cell.client) ?? LoadClients.prepare([cell], plan, connectors, prepare);
    clients.set(cell.client, known);
    return await known;
  };
  const storage = new StorageProbes();
  const processes = new LoadProcesses();
  const settingOf = async (name: string, trial: BenchTrial): Promise<TrialSetting> => {
    const { cell, run } = adapt(plan, name, trial);
    const client = (await clientsFor(cell)).of(cell);
    if (!client.available) throw new Error(`${client.reason}; ${client.remedy}`);
    const log = join(context.directory, `${name}.log`);
    return {
      run,
      cell,
      round: 0,
      workload: workload.description,
      deployment: await targets.ensure(name),
      storage: async (directory) => await storage.of(directory),
      loadClient: trial.loadClient ?? processes.source(client.command),
      onMeasured: () => {
        if (trial.loadClient === undefined) processes.startNext(client.command);
      },
      paths: { client: client.client, log },
      ...(trial.onStage === undefined ? {} : { onStage: trial.onStage }),
      signal,
    };
  };
  return {
    async target(name) {
      return {
        deployment: await targets.ensure(name),
        measure: async (trial) => await passed(await settingOf(name, trial)),
        rateWithoutLog: async (trial) => await unauditedRate(await settingOf(name, trial)),
      };
    },
    async [Symbol.asyncDispose]() {
      await processes[Symbol.asyncDispose]();
      await targets.closeAll();
    },
  };
}

async function passed(setting: TrialSetting): Promise<PassedTrial> {
  const record = await runTrial(setting);
  if (record.status !== 'ok') throw new Error(`${setting.cell.id}: ${record.reason}`);
  return record;
}

async function unauditedRate(setting: TrialSetting): Promise<number> {
  let rate: number | null = null;
  const paths = { ...setting.paths, log: null };
  const record = await runTrial({
    ...setting,
    paths,
    onMeasured: ({ window, timing }) => {
      rate = (window.applied / timing.windowMs) * 1000;
    },
  });
  // Without a log every trial is void; a trial without a result failed earlier.
  if (rate === null) throw new Error(`${setting.cell.id}: ${record.status === 'ok' ? '' : record.reason}`);
  return rate;
}

function planOf(
  catalog: Catalog,
  workload: LoadedWorkload,
  names: readonly string[],
  set: readonly string[],
): RunPlan {
  const options = parseRunOptions({
    ...runDefaults,
    systems: names.join(','),
    strict: false,
    url: [],
    set,
  });
  const targets = chosenTargets(catalog, options);
  return buildPlan({ id: 'self-bench', command: ['bench:self'], options, targets, workload });
}

function adapt(plan: RunPlan, name: string, trial: BenchTrial): { cell: Cell; run: RunPlan } {
  const first = plan.cells.find(({ target }) => target === name);
  if (first === undefined) throw new Error('self-bench: the plan has no cell');
  const { alpha = 0, sessions = first.sessions, depth = 1, threads = first.threads } = trial;
  const skew = first.parameters['alpha'] === undefined ? {} : { alpha };
  const parameters = { ...first.parameters, ...skew, ...trial.parameters };
  const { windowMs = plan.timing.windowMs, warmupMs = plan.timing.warmupMs } = trial;
  const windowMsMax = Math.max(windowMs, plan.timing.windowMsMax);
  const timing = { ...plan.timing, windowMs, windowMsMax, warmupMs };
  const { ratePerSecond } = trial;
  const loop = ratePerSecond === undefined ? plan.loop : ({ kind: 'open', ratePerSecond } as const);
  return {
    cell: { ...first, client: trial.client ?? 'node', sessions, depth, threads, parameters },
    run: { ...plan, loop, timing: trial.isFirst === true ? brokenIn(timing) : timing },
  };
}

function say(line: string): void {
  process.stderr.write(`  ${line}\n`);
}

/** Two measurements in each round, in alternating order. */
export async function inTurn<First, Second>(
  rounds: number,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<readonly (readonly [First, Second])[]> {
  const pairs: (readonly [First, Second])[] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push(await pairOf(round, first, second));
  return pairs;
}

/** The two measurements of one round: in every other round the second comes first. */
export async function pairOf<First, Second>(
  round: number,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<readonly [First, Second]> {
  const early = round % 2 === 1 ? await second() : null;
  const measured = await first();
  return [measured, early ?? (await second())];
}

/** Runs a bench of a separate command, and leaves nothing behind, even after Ctrl-C. */
export async function withContext(use: (context: BenchContext) => Promise<void>): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { shareHost: share } = readEnvironment();
  using _ = holdHost({ root, command: `node ${basename(process.argv[1] ?? '')}`, share });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fair-bench-bench-'));
  const directory = folder.path;
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => interrupt.abort(new Error('interrupted')));
  }
  const supervisor = createSupervisor({ logDirectory: directory, signal: interrupt.signal });
  try {
    await use({ root, directory, supervisor, signal: interrupt.signal });
  } finally {
    await supervisor.stopAll();
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
