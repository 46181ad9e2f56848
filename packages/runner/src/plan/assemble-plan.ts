import {
  type Cell,
  type ClientName,
  type Loop,
  type Mode,
  type RunPlan,
  type SearchBounds,
  runPlanSchema,
  shuffled,
  splitMix64,
} from '@fair-bench/results';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { WorkloadPoint } from './parameters.ts';
import { redactUrl } from '@fair-bench/supervisor';
import { redactCommand } from './redact.ts';

/** How long outstanding operations are waited for at the end of a trial, and one operation may take. */
const drainMs = 10_000;
const operationMs = 10_000;

/** One combination that is to be measured. */
export interface CellSpec {
  readonly target: TargetDefinition;
  readonly client: ClientName;
  readonly point: WorkloadPoint;
  readonly sessions: number;
  readonly depth: number;
  /** Operations per second of an open loop of its own, where cells differ by it. */
  readonly rate?: number | undefined;
}

/** What all cells of a plan have in common. Durations are milliseconds. */
export interface PlanOptions {
  readonly seed: string;
  readonly trials: number;
  readonly duration: number;
  readonly warmup: number;
  readonly threads: number;
  /** The share of operations in doubt above which a trial is void. */
  readonly inDoubtMax: number;
  readonly pin?: RunPlan['pin'];
  /** Operations per second of the open loops; undefined closes the loop. Several are of the cells. */
  readonly rate?: readonly number[] | undefined;
}

export interface PlanAssembly {
  readonly id: string;
  readonly mode: Mode;
  /** The command's name and its arguments, as given. */
  readonly command: readonly string[];
  readonly options: PlanOptions;
  readonly specs: readonly CellSpec[];
  readonly workload: LoadedWorkload;
  readonly search?: SearchBounds;
  readonly notes?: readonly string[];
}

/**
 * The frozen plan that measures these combinations, each once however often it is named: pure, and the same
 * for the same input. What the workload refuses is an InputError that names the option.
 */
export function assemblePlan(assembly: PlanAssembly): RunPlan {
  const { id, mode, command, options, specs, workload, search, notes = [] } = assembly;
  const targets = new Map(specs.map(({ target }) => [target.target, target]));
  const cells = new Map(specs.map((spec) => [cellId(spec), cellOf(spec, options, workload)]));
  const draw = splitMix64(BigInt(options.seed));
  return deepFreeze(
    runPlanSchema.parse({
      schemaVersion: 1,
      id,
      mode,
      command: redactCommand(command),
      seed: options.seed,
      targets: [...targets.values()].map(({ target, connector, system, url, settings }) => ({
        target,
        connector: connector.name,
        system,
        route: connector.manifest.route,
        url: url === null ? null : redactUrl(url),
        ...settings,
      })),
      cells: [...cells.values()],
      ...(options.pin === undefined ? {} : { pin: options.pin }),
      loop: planLoop(options.rate),
      timing: { warmupMs: options.warmup, windowMs: options.duration, drainMs, operationMs },
      inDoubtShareMax: options.inDoubtMax,
      // One generator for all rounds: each round is a shuffle of its own, and the next depends on the seed alone.
      rounds: Array.from({ length: options.trials }, () => shuffled([...cells.keys()], draw)),
      ...(search === undefined ? {} : { search }),
      ...(notes.length === 0 ? {} : { notes }),
    }),
  );
}

function planLoop(rates: PlanOptions['rate']): Loop {
  const rate = rates?.[0];
  return rate === undefined ? { kind: 'closed' } : { kind: 'open', ratePerSecond: rate };
}

/** A cell's name: the Node client, which fair mode has, is not said; nor a rate that all cells have. */
export function cellId({ target, client, point, depth, sessions, rate }: CellSpec): string {
  const by = client === 'node' ? '' : `-${client}`;
  const at = rate === undefined ? '' : `-rate${rate}`;
  return `${target.target}${by}${point.label}${loadName({ depth, sessions })}${at}`;
}

/** The same cell at other sessions and depth. */
export function atPoint(cell: Cell, { sessions, depth }: Pick<Cell, 'sessions' | 'depth'>): Cell {
  const moved = { ...cell, sessions, depth, threads: Math.min(cell.threads, sessions) };
  return { ...moved, id: cell.id.replace(loadName(cell), loadName(moved)) };
}

function loadName({ depth, sessions }: Pick<Cell, 'depth' | 'sessions'>): string {
  return `-d${depth}-s${sessions}`;
}

function cellOf(spec: CellSpec, options: PlanOptions, workload: LoadedWorkload): Cell {
  const { target, client, point, sessions, depth, rate } = spec;
  return {
    id: cellId(spec),
    target: target.target,
    client,
    workload: workload.name,
    parameters: point.parameters,
    axes: workload.description.axes.map(({ parameter }) => parameter),
    sessions,
    depth,
    threads: Math.min(options.threads, sessions),
    ...(rate === undefined ? {} : { ratePerSecond: rate }),
  };
}
