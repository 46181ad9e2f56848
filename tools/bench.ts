import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mkdtemp, mkdtempDisposable } from 'node:fs/promises';
import type { Deployment, JsonObject } from '@fair-bench/contract';
import type { Cell, ClientName, PassedTrial, RunPlan, TrialRecord, TrialResult } from '@fair-bench/results';
import {
  buildPlan,
  CellCores,
  chosenTargets,
  defaultWorkload,
  discoverFor,
  holdHost,
  linesOnly,
  listenForInterruption,
  type LoadAgents,
  LoadClients,
  loadWorkload,
  measureCell,
  openWorkbench,
  parseRunOptions,
  type PlannedTrial,
  prepareContext,
  readEnvironment,
  runDefaults,
  type TargetDefinition,
  type TrialStage,
} from '@fair-bench/runner';
export { clientCpuUsOf } from '@fair-bench/analysis';
export { medianOf as median } from '@fair-bench/results';

export interface BenchContext {
  readonly root: string;
  /** The folder of this bench's results. */
  readonly directory: string;
  /** Of databases, if the user chose one. */
  readonly dataDirectory: string | null;
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
  /** An open loop over all sessions; closed by default. */
  readonly ratePerSecond?: number;
  /** A process of this machine by default. */
  readonly agents?: LoadAgents | null;
  /** Called when a stage of the trial begins. */
  readonly onStage?: (stage: TrialStage) => void;
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
  workload = defaultWorkload,
): Promise<Bench> {
  const set = Object.entries(settings).map(([key, value]) => `${names[0]}.${key}=${value}`);
  const directory = await mkdtemp(join(context.directory, 'bench-'));
  const chosen = { id: 'self-bench', command: 'bench:self', names, directory, workload };
  const { plan, prepared } = await planBench(context, { ...chosen, texts: { pin: 'off' }, set });
  const run = { ...prepared, signal: context.signal, display: linesOnly(say) };
  const workbench = await openWorkbench(plan, run);
  const { targets, pinned } = workbench;
  const shared = { ...workbench, cores: await CellCores.of([], pinned), wire: null };
  const clients = new Map<ClientName, Promise<LoadClients>>();
  // The native client is built at its first use, and once.
  const clientsFor = async (cell: Cell): Promise<LoadClients> => {
    const prepare = { root: context.root, signal: context.signal, onProgress: say };
    const known = clients.get(cell.client) ?? LoadClients.prepare([cell], plan, run.connectors, prepare);
    clients.set(cell.client, known);
    return await known;
  };
  const measure = async (
    name: string,
    trial: BenchTrial,
    how: Pick<PlannedTrial, 'logPath' | 'onMeasured'>,
  ): Promise<TrialRecord> => {
    const cell = cellOf(plan, name, trial);
    const { agents = null, onStage } = trial;
    return await measureCell(
      { ...shared, clients: await clientsFor(cell), agents },
      {
        run: runOf(plan, trial),
        cell,
        round: 0,
        next: cell,
        ...(onStage === undefined ? {} : { onStage }),
        ...how,
      },
    );
  };
  return {
    async target(name) {
      return {
        deployment: await targets.ensure(name),
        measure: async (trial) =>
          passed(name, await measure(name, trial, { logPath: join(directory, `${name}.log`) })),
        async rateWithoutLog(trial) {
          let rate: number | null = null;
          const onMeasured = ({ window, timing }: TrialResult): void => {
            rate = (window.applied / timing.windowMs) * 1000;
          };
          const record = await measure(name, trial, { logPath: null, onMeasured });
          // Without a log every trial is void; a trial without a result failed earlier.
          return rate ?? passed(name, record).tps;
        },
      };
    },
    [Symbol.asyncDispose]: async () => await workbench[Symbol.asyncDispose](),
  };
}

function passed(name: string, record: TrialRecord): PassedTrial {
  if (record.status !== 'ok') throw new Error(`${name}: ${record.reason}`);
  return record;
}

interface BenchPlan {
  readonly id: string;
  readonly command: string;
  readonly names: readonly string[];
  readonly directory: string;
  readonly workload: string;
  /** Options of `fair-bench`, as texts; the others have their defaults. */
  readonly texts: Readonly<Record<string, string | boolean>>;
  readonly set?: readonly string[];
  /** The targets to measure, if they are not just the named ones. */
  readonly targetsOf?: (named: readonly TargetDefinition[]) => readonly TargetDefinition[];
}

/** Plans a run of the named targets, as `fair-bench` would. */
export async function planBench({ root, dataDirectory }: BenchContext, bench: BenchPlan) {
  const { id, command, names, directory, texts, set = [], targetsOf = (named) => named } = bench;
  const workload = await loadWorkload(root, bench.workload);
  const catalog = await discoverFor(root, workload);
  const systems = names.join(',');
  const options = parseRunOptions({ ...runDefaults, ...texts, systems, strict: false, url: [], set });
  const targets = targetsOf(chosenTargets(catalog, options));
  const plan = buildPlan({ id, command: [command], options, targets, workload });
  const input = { root, plan, targets, workload, options: { out: directory }, dataDirectory };
  return { plan, prepared: await prepareContext(input) };
}

function cellOf(plan: RunPlan, name: string, trial: BenchTrial): Cell {
  const first = plan.cells.find(({ target }) => target === name);
  if (first === undefined) throw new Error('self-bench: the plan has no cell');
  const { client = 'node', alpha = 0, sessions = first.sessions, depth = 1, threads = first.threads } = trial;
  const skew = first.parameters['alpha'] === undefined ? {} : { alpha };
  const parameters = { ...first.parameters, ...skew, ...trial.parameters };
  return { ...first, client, sessions, depth, threads, parameters };
}

function runOf(plan: RunPlan, trial: BenchTrial): RunPlan {
  const { windowMs = plan.timing.windowMs, warmupMs = plan.timing.warmupMs, ratePerSecond } = trial;
  const windowMsMax = Math.max(windowMs, plan.timing.windowMsMax);
  const loop = ratePerSecond === undefined ? plan.loop : ({ kind: 'open', ratePerSecond } as const);
  return { ...plan, loop, timing: { ...plan.timing, windowMs, windowMsMax, warmupMs } };
}

/** A line for whoever waits. */
export function say(line: string): void {
  process.stderr.write(`fair-bench: ${line}\n`);
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
  const { shareHost: share, dataDirectory } = readEnvironment();
  using _ = holdHost({ root, command: `node ${basename(process.argv[1] ?? '')}`, share });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fair-bench-bench-'));
  const interruption = listenForInterruption(say);
  try {
    await use({ root, directory: folder.path, dataDirectory, signal: interruption.signal });
  } finally {
    interruption.dispose();
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
