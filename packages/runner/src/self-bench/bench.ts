import { join } from 'node:path';
import type { Cell, Deployment, RunPlan, TrialResult, WorkloadName } from '@fair-bench/contract';
import { loadClientMain } from '@fair-bench/load-client';
import type { RunSupervisor } from '@fair-bench/supervisor';
import { parseRunOptions, runDefaults } from '../cli/run-options.ts';
import {
  type Catalog,
  discover,
  loadConnector,
  type LoadedWorkload,
  loadWorkload,
} from '../discover/index.ts';
import { runLoadClient } from '../measure/load-client-process.ts';
import { readLedger } from '../measure/ledger-file.ts';
import { trialPlan } from '../measure/trial-plan.ts';
import { buildPlan } from '../plan/index.ts';
import { Targets } from '../provision/targets.ts';

const workloadName: WorkloadName = 'transfer';
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
  readonly sessions?: number;
  readonly depth?: number;
  readonly alpha?: number;
  readonly accounts?: number;
  readonly windowMs?: number;
  /** Without the audit's bookkeeping: only to price it. */
  readonly withoutLedger?: boolean;
}

/** A target that runs for the bench. */
export interface BenchTarget {
  readonly deployment: Deployment;
  /** Seeds, measures and audits one trial. Rejects when the audit fails: a figure rests on work that was done. */
  measure(trial: BenchTrial): Promise<TrialResult>;
  close(): Promise<void>;
}

/** Starts one target by its name (or its system's), as a run would. */
export async function deploy(
  context: BenchContext,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchTarget> {
  const catalog = await discover(context.root);
  const workload = await workloadOf(catalog);
  const plan = planOf(catalog, workload, name, settings);
  const target = plan.targets[0];
  const found = catalog.connectors.find((candidate) => candidate.name === target?.connector);
  if (target === undefined || found?.nodeClientPath === undefined || found.nodeClientPath === null) {
    throw new Error(`${name}: no target that the Node load client can drive`);
  }
  const connectors = new Map([[found.name, await loadConnector(found)]]);
  const { supervisor, signal } = context;
  const targets = new Targets(plan, { connectors, urls: {}, supervisor, signal });
  const deployment = await targets.ensure(target.target);
  const modules = { clientModule: found.nodeClientPath, workloadModule: workload.found.modulePath };
  let count = 0;
  return {
    deployment,
    async measure(trial) {
      count += 1;
      const ledger = join(context.directory, `${target.target}-${count}.ledger`);
      return await measure(context, plan, workload, deployment, trial, { ...modules, ledger });
    },
    close: async () => void (await targets.closeAll()),
  };
}

async function workloadOf(catalog: Catalog): Promise<LoadedWorkload> {
  const found = catalog.workloads.find(({ name }) => name === workloadName);
  if (found === undefined) throw new Error(`no package announces the workload ${workloadName}`);
  return await loadWorkload(found);
}

function planOf(
  catalog: Catalog,
  workload: LoadedWorkload,
  name: string,
  settings: Readonly<Record<string, string>>,
): RunPlan {
  const options = parseRunOptions({
    ...runDefaults,
    systems: name,
    strict: false,
    scramble: true,
    url: [],
    set: Object.entries(settings).map(([key, value]) => `${name}.${key}=${value}`),
  });
  return buildPlan({ id: 'self-bench', command: ['bench:self'], options, catalog, workload });
}

async function measure(
  context: BenchContext,
  plan: RunPlan,
  { workload }: LoadedWorkload,
  deployment: Deployment,
  trial: BenchTrial,
  paths: { clientModule: string; workloadModule: string; ledger: string },
): Promise<TrialResult> {
  const { cell, run } = adapt(plan, trial);
  const within = AbortSignal.any([context.signal, AbortSignal.timeout(controlTimeoutMs)]);
  const access = workload.accessOf(deployment.workloads);
  if (access === null) throw new Error(`${cell.target}: has no access for the workload`);
  const parameters = workload.parseParameters(cell.parameters);
  await workload.seed(parameters, access, within);
  await deployment.prepare(within);
  const full = trialPlan(run, cell, cell.id, deployment.endpoint, paths);
  const client = { command: process.execPath, arguments: [loadClientMain] };
  const toMeasure = trial.withoutLedger === true ? { ...full, ledgerPath: null } : full;
  const result = await runLoadClient(client, toMeasure, () => {}, context.signal);
  if (trial.withoutLedger !== true) {
    const finding = await workload.audit(parameters, await readLedger(result), access, within);
    if (finding.status === 'failed') throw new Error(`${cell.target}: ${finding.reason}`);
  }
  return result;
}

function adapt(plan: RunPlan, trial: BenchTrial): { cell: Cell; run: RunPlan } {
  const first = plan.cells[0];
  if (first === undefined) throw new Error('self-bench: the plan has no cell');
  const { alpha = 0, accounts, sessions = first.sessions, depth = 1 } = trial;
  const parameters = { ...first.parameters, alpha, ...(accounts === undefined ? {} : { accounts }) };
  const windowMs = trial.windowMs ?? plan.timing.windowMs;
  return {
    cell: { ...first, alpha, sessions, depth, parameters },
    run: { ...plan, timing: { ...plan.timing, windowMs } },
  };
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
