import {
  type Allocation,
  type Cell,
  type Contrast,
  type FaultPlan,
  idWords,
  type LoadValues,
  type Loop,
  type Mode,
  type PlannedTarget,
  type RunPlan,
  type SearchBounds,
  runPlanSchema,
} from '@fair-bench/results';
import { designOf, type RunDesign } from '@fair-bench/analysis';
import { redactUrl } from '@fair-bench/supervisor';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { WorkloadPoint } from './parameters.ts';
import type { SoakSetting } from '../options/soak-options.ts';
import { orderRounds, roundsLeast } from './order-rounds.ts';
import { orderSlices } from './slices.ts';

/** How long a trial waits at its end for outstanding operations, and the time limit of one operation. */
const drainMs = 10_000;
const operationMs = 10_000;

/** No latency lengthens a window beyond this; it is six times the time limit of an operation. */
const windowMsMax = 60_000;

/** The default duration of a run. */
export const budgetMsDefault = 300_000;

/** One combination to measure: a target, a point of the workload and the settings of the load. */
export type CellSpec = LoadValues & {
  readonly target: TargetDefinition;
  readonly point: WorkloadPoint;
  /** Connections of the application server, if cells differ in it. */
  readonly poolSize?: number | undefined;
};

/** What all cells of a plan share. Durations are milliseconds. */
export interface PlanOptions {
  readonly seed: string;
  /** Rounds, if their number is fixed. */
  readonly trials?: number | undefined;
  /** Without fixed rounds: the run's duration from its start, and the precision at which it may end. */
  readonly budget?: number | undefined;
  /** The budget where nobody limited the time; five minutes unless given. */
  readonly budgetDefault?: number;
  readonly precision?: number | undefined;
  readonly duration: number;
  readonly warmup: number;
  readonly threads: number;
  /** Above this share of operations in doubt a trial is void. */
  readonly inDoubtMax: number;
  /** Above this share of faults a trial is void. */
  readonly faultsMax: number;
  readonly measureAgain: number;
  readonly deployments?: RunPlan['deployments'];
  readonly pin?: RunPlan['pin'];
  /** Faults that are injected after the rounds. */
  readonly fault?: FaultPlan['faults'] | undefined;
  readonly faultTrials?: number;
  /** Operations per second of the open loops; undefined closes the loop. With several, each cell has one. */
  readonly rate?: readonly number[] | undefined;
}

interface PlanAssembly {
  readonly id: string;
  readonly mode: Mode;
  /** The command's name and its arguments, as given. */
  readonly command: readonly string[];
  readonly options: PlanOptions;
  readonly specs: readonly CellSpec[];
  readonly workload: LoadedWorkload;
  /** Contrasts that the run needs beside the comparisons of its cells. */
  readonly requested?: readonly Contrast[];
  /** Replaces the design by the plan's comparisons. */
  readonly design?: RunDesign;
  readonly search?: SearchBounds;
  /** Planned rounds, if not as many as usual. */
  readonly rounds?: number;
  /** Of `soak`: its rounds are slices. */
  readonly soak?: SoakSetting;
  readonly notes?: readonly string[];
  /** By target. */
  readonly leftOut?: ReadonlyMap<string, NonNullable<PlannedTarget['leftOut']>>;
}

/**
 * The frozen plan for these combinations, each once. Pure, and the same for the same input. An InputError names the
 * option with a value that the workload refuses.
 */
export function assemblePlan(assembly: PlanAssembly): RunPlan {
  const { id, mode, command, options, specs, workload, search, notes = [] } = assembly;
  const definitions = new Map(specs.map(({ target }) => [target.target, target]));
  const cells = [...new Map(specs.map((spec) => [cellId(spec), cellOf(spec, options, workload)])).values()];
  const { leftOut } = assembly;
  const targets = [...definitions.values()].map((target) => plannedTarget(target, leftOut));
  const { requested } = assembly;
  // Cells with processors of their own replace the split of the whole run.
  const pin = cells.some(({ cores }) => cores !== undefined) ? 'off' : options.pin;
  const { soak } = assembly;
  const { contrasts, blocks } = assembly.design ?? designOf({ mode, targets, cells }, requested);
  return deepFreeze(
    runPlanSchema.parse({
      schemaVersion: 2,
      id,
      mode,
      command: redactCommand(command),
      seed: options.seed,
      workloadSha256: workload.sha256,
      targets,
      cells,
      ...(pin === undefined ? {} : { pin }),
      loop: planLoop(options.rate),
      timing: {
        warmupMs: options.warmup,
        windowMs: options.duration,
        // A slice is as long as was asked, however unsteady its beginning.
        windowMsMax: soak === undefined ? Math.max(options.duration, windowMsMax) : options.duration,
        drainMs,
        operationMs,
      },
      inDoubtShareMax: options.inDoubtMax,
      faultsShareMax: options.faultsMax,
      disturbedAgainMax: options.measureAgain,
      ...(options.deployments === undefined ? {} : { deployments: options.deployments }),
      contrasts,
      blocks,
      rounds:
        soak === undefined
          ? orderRounds(blocks, options.trials ?? assembly.rounds ?? roundsLeast, options.seed)
          : orderSlices(blocks, soak, options.seed),
      ...(soak === undefined ? {} : { soak: { forMs: soak.forMs, slices: soak.slices } }),
      ...(options.trials === undefined ? { allocation: allocationOf(options) } : {}),
      ...(search === undefined ? {} : { search }),
      ...faultsOf(options),
      ...(notes.length === 0 ? {} : { notes }),
    }),
  );
}

function plannedTarget(
  { target, connector, system, url, settings, price }: TargetDefinition,
  left: PlanAssembly['leftOut'],
): PlannedTarget {
  const leftOut = left?.get(target);
  return {
    target,
    connector: connector.name,
    system,
    route: connector.manifest.route,
    url: url === null ? null : redactUrl(url),
    ...(connector.manifest.calibration ? { calibration: true } : {}),
    ...(leftOut === undefined ? {} : { leftOut }),
    ...(price === undefined ? {} : { price }),
    ...settings,
  };
}

/**
 * A target that was named and not measured helps nobody, nor does a best point without a round: a budget that nobody stated gives each
 * its first trial, if twice its time is enough.
 */
function allocationOf({ budget, budgetDefault = budgetMsDefault, precision }: PlanOptions): Allocation {
  return {
    budgetMs: budget ?? budgetDefault,
    ...(budget === undefined ? { firstRoundMs: 2 * budgetDefault } : {}),
    ...(precision === undefined ? {} : { precisionRatio: 1 + precision }),
  };
}

function faultsOf({ fault, faultTrials = 1, rate }: PlanOptions): Pick<RunPlan, 'faults'> {
  if (fault === undefined) return {};
  const ratePerSecond = rate?.length === 1 ? rate[0] : undefined;
  const offered = ratePerSecond === undefined ? {} : { ratePerSecond };
  return { faults: { faults: fault, trials: faultTrials, ...offered } };
}

function planLoop(rates: PlanOptions['rate']): Loop {
  const rate = rates?.[0];
  return rate === undefined ? { kind: 'closed' } : { kind: 'open', ratePerSecond: rate };
}

/** A cell's name. It leaves out the Node client, the default of fair mode, a batch of one, and a rate that all cells have. */
export function cellId(spec: CellSpec): string {
  const { target, point } = spec;
  const by = idWords(spec, ({ of }) => of.isFirst === true);
  return `${target.target}${by}${point.label}${loadName(spec)}`;
}

/** The same cell at other sessions, depth and pool. */
export function atPoint(cell: Cell, point: Pick<Cell, 'sessions' | 'depth' | 'poolSize'>): Cell {
  const moved = { ...cell, ...point, threads: Math.min(cell.threads, point.sessions) };
  return { ...moved, id: cell.id.replace(loadName(cell), loadName(moved)) };
}

/** The same cell in an open loop, at this many operations per second. */
export function atRate(cell: Cell, ratePerSecond: number): Cell {
  return { ...cell, id: `${cell.id}-rate${ratePerSecond}`, ratePerSecond };
}

function loadName(load: Pick<CellSpec, 'poolSize'> & Readonly<Record<string, unknown>>): string {
  const words = idWords(load, ({ of }) => of.isFirst !== true);
  return load.poolSize === undefined ? words : `${words}-p${load.poolSize}`;
}

function cellOf(
  { target, point, poolSize, ...load }: CellSpec,
  options: PlanOptions,
  workload: LoadedWorkload,
): Cell {
  return {
    id: cellId({ target, point, poolSize, ...load }),
    target: target.target,
    workload: workload.name,
    parameters: point.parameters,
    axes: workload.description.axes.map(({ parameter }) => parameter),
    ...load,
    threads: Math.min(options.threads, load.sessions),
    ...(poolSize === undefined ? {} : { poolSize }),
  };
}

/** A command line that may be stored: every `SYSTEM=URL` in it is redacted. */
export function redactCommand(commandArguments: readonly string[]): string[] {
  return commandArguments.map((argument) => {
    const match = /^((?:--url=)?[a-z][a-z0-9-]*=)(.+)$/.exec(argument);
    const [, prefix, url] = match ?? [];
    return prefix !== undefined && url !== undefined && URL.canParse(url)
      ? `${prefix}${redactUrl(url)}`
      : argument;
  });
}
