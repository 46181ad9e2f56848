import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cell, ClientName, Phase, RunPlan, TrialPlan, TrialResult } from '@fair-bench/results';
import type { Deployment } from '@fair-bench/contract';
import type { RunSupervisor } from '@fair-bench/supervisor';
import {
  type Catalog,
  type FoundConnector,
  type LoadClientCommand,
  LoadClients,
  type LoadedWorkload,
  Targets,
  type TrialEvents,
  type WindowUsage,
  WindowUsageReader,
  buildPlan,
  chosenTargets,
  discover,
  loadConnector,
  parseRunOptions,
  readLedger,
  runDefaults,
  runLoadClient,
  trialPlan,
  workloadOf,
} from '@fair-bench/runner';

const controlTimeoutMs = 60_000;

export interface BenchContext {
  readonly root: string;
  /** The folder of this bench's results. */
  readonly directory: string;
  readonly supervisor: RunSupervisor;
  readonly signal: AbortSignal;
}

/** What to measure; what is not given is as in the defaults of fair mode. */
export interface BenchTrial {
  /** The Node load client unless the native one is asked for. */
  readonly client?: ClientName;
  readonly sessions?: number;
  readonly depth?: number;
  readonly alpha?: number;
  readonly accounts?: number;
  readonly windowMs?: number;
  readonly warmupMs?: number;
  /** Without the audit's bookkeeping: only to price it. */
  readonly withoutLedger?: boolean;
  /** Told when the load client says that a phase begins. */
  readonly onPhase?: (phase: Phase) => void;
}

export interface MeasuredWithUsage {
  readonly result: TrialResult;
  readonly usage: WindowUsage;
}

/** A target that runs for the bench. */
export interface BenchTarget {
  readonly deployment: Deployment;
  /** Seeds, measures and audits one trial. Rejects when the audit fails: a figure rests on work that was done. */
  measure(trial: BenchTrial): Promise<TrialResult>;
  /** The same, with what the target's processes used in the window. */
  measureWithUsage(trial: BenchTrial): Promise<MeasuredWithUsage>;
}

/** Targets that run side by side: those of one system on one server. */
export interface Bench {
  /** Starts a target when it is first asked for. */
  target(name: string): Promise<BenchTarget>;
  close(): Promise<void>;
}

/** Opens a bench for targets by their names, as a run would. `settings` are of the first of them. */
export async function openBench(
  context: BenchContext,
  names: readonly [string, ...string[]],
  settings: Readonly<Record<string, string>> = {},
): Promise<Bench> {
  const catalog = await discover(context.root);
  const workload = await workloadOf(catalog);
  const set = Object.entries(settings).map(([key, value]) => `${names[0]}.${key}=${value}`);
  const plan = planOf(catalog, workload, names, set);
  const used = new Set(plan.targets.map(({ connector }) => connector));
  const found = catalog.connectors.filter(({ name }) => used.has(name));
  const loaded = await Promise.all(found.map(async (one) => [one.name, await loadConnector(one)] as const));
  const { supervisor, signal } = context;
  const targets = new Targets(plan, { connectors: new Map(loaded), urls: {}, supervisor, signal });
  const connectorOf = ({ target }: Cell): FoundConnector | undefined =>
    found.find(({ name }) => name === plan.targets.find((one) => one.target === target)?.connector);
  const clients = new Map<ClientName, Promise<LoadClients>>();
  // The native client is built when it is first asked for, and once.
  const clientsFor = async (cell: Cell): Promise<LoadClients> => {
    const prepare = { root: context.root, signal, onProgress: say };
    const known = clients.get(cell.client) ?? LoadClients.prepare([cell], connectorOf, prepare);
    clients.set(cell.client, known);
    return await known;
  };
  let count = 0;
  return {
    async target(name) {
      const deployment = await targets.ensure(name);
      const measureWithUsage: BenchTarget['measureWithUsage'] = async (trial) => {
        count += 1;
        const ledger = join(context.directory, `${name}-${count}.ledger`);
        const { cell, run } = adapt(plan, name, trial);
        const client = (await clientsFor(cell)).of(cell);
        if (!client.available) throw new Error(`${client.reason}; ${client.remedy}`);
        const paths = { client: client.client, workloadModule: workload.found.modulePath, ledger };
        const full = trialPlan(run, cell, cell.id, deployment.endpoint, paths);
        const toMeasure = trial.withoutLedger === true ? { ...full, ledgerPath: null } : full;
        const { onPhase } = trial;
        return await measure(context, { workload, deployment, client: client.command, onPhase }, toMeasure);
      };
      return {
        deployment,
        measureWithUsage,
        measure: async (trial) => (await measureWithUsage(trial)).result,
      };
    },
    close: async () => void (await targets.closeAll()),
  };
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
    scramble: true,
    url: [],
    set,
  });
  const targets = chosenTargets(catalog, options, workload.found.name);
  return buildPlan({ id: 'self-bench', command: ['bench:self'], options, targets, workload });
}

interface TrialParts {
  readonly workload: LoadedWorkload;
  readonly deployment: Deployment;
  readonly client: LoadClientCommand;
  readonly onPhase: BenchTrial['onPhase'];
}

async function measure(
  context: BenchContext,
  { workload: { workload }, deployment, client, onPhase }: TrialParts,
  plan: TrialPlan,
): Promise<MeasuredWithUsage> {
  const within = AbortSignal.any([context.signal, AbortSignal.timeout(controlTimeoutMs)]);
  const access = workload.accessOf(deployment.workloads);
  if (access === null) throw new Error(`${plan.trialId}: its target has no access for the workload`);
  const parameters = workload.parseParameters(plan.workload.parameters);
  await workload.seed(parameters, access, within);
  await deployment.prepare(within);
  const usage = new WindowUsageReader(deployment.processes);
  const onEvent: TrialEvents = (event) => {
    if (event.type !== 'phase') return;
    usage.phase(event.phase);
    onPhase?.(event.phase);
  };
  const result = await runLoadClient(client, plan, onEvent, context.signal);
  if (plan.ledgerPath !== null) {
    const finding = await workload.audit(parameters, await readLedger(result), access, within);
    if (finding.status === 'failed') throw new Error(`${plan.trialId}: ${finding.reason}`);
    await rm(plan.ledgerPath);
  }
  return { result, usage: await usage.usage(result.timing.windowMs) };
}

function adapt(plan: RunPlan, name: string, trial: BenchTrial): { cell: Cell; run: RunPlan } {
  const first = plan.cells.find(({ target }) => target === name);
  if (first === undefined) throw new Error('self-bench: the plan has no cell');
  const { alpha = 0, accounts, sessions = first.sessions, depth = 1 } = trial;
  const parameters = { ...first.parameters, alpha, ...(accounts === undefined ? {} : { accounts }) };
  const { windowMs = plan.timing.windowMs, warmupMs = plan.timing.warmupMs } = trial;
  return {
    cell: { ...first, client: trial.client ?? 'node', alpha, sessions, depth, parameters },
    run: { ...plan, timing: { ...plan.timing, windowMs, warmupMs } },
  };
}

function say(line: string): void {
  process.stderr.write(`  ${line}\n`);
}

/** Applied operations per second of the window. */
export function tpsOf(result: TrialResult): number {
  return (result.window.applied / result.timing.windowMs) * 1000;
}

/** CPU microseconds of the load client per applied operation. */
export function clientCpuUsOf(result: TrialResult): number {
  return (result.effort.cpuUserUs + result.effort.cpuSystemUs) / result.window.applied;
}

/** The middle value; of an even number, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}
