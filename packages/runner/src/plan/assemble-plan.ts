import { type Cell, type ClientName, type Mode, type RunPlan, runPlanSchema } from '@fair-bench/contract';
import type { LoadedWorkload } from '../discover/index.ts';
import type { TargetDefinition } from '../targets/index.ts';
import { deepFreeze } from './deep-freeze.ts';
import { type ParameterOptions, workloadParameters } from './parameters.ts';
import { redactCommand, redactUrl } from './redact.ts';
import { shuffled, splitMix64 } from './shuffle.ts';

/** How long outstanding operations are waited for at the end of a trial, and one operation may take. */
const drainMs = 10_000;
const operationMs = 10_000;

/** One combination that is to be measured. */
export interface CellSpec {
  readonly target: TargetDefinition;
  readonly client: ClientName;
  readonly alpha: number;
  readonly sessions: number;
  readonly depth: number;
}

/** What all cells of a plan have in common. Durations are milliseconds. */
export interface PlanOptions extends ParameterOptions {
  readonly trials: number;
  readonly duration: number;
  readonly warmup: number;
  readonly threads: number;
  /** Operations per second of the open loop; undefined closes it. */
  readonly rate?: number | undefined;
}

export interface PlanAssembly {
  readonly id: string;
  readonly mode: Mode;
  /** The command's name and its arguments, as given. */
  readonly command: readonly string[];
  readonly options: PlanOptions;
  readonly specs: readonly CellSpec[];
  readonly workload: LoadedWorkload;
}

/**
 * The frozen plan that measures these combinations, each once however often it is named: pure, and the same
 * for the same input. What the workload refuses is an InputError that names the option.
 */
export function assemblePlan({ id, mode, command, options, specs, workload }: PlanAssembly): RunPlan {
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
      targets: [...targets.values()].map(({ target, connector, url, settings }) => ({
        target,
        connector: connector.name,
        system: connector.manifest.system,
        route: connector.manifest.route,
        url: url === null ? null : redactUrl(url),
        ...settings,
      })),
      cells: [...cells.values()],
      loop: options.rate === undefined ? { kind: 'closed' } : { kind: 'open', ratePerSecond: options.rate },
      timing: { warmupMs: options.warmup, windowMs: options.duration, drainMs, operationMs },
      // One generator for all rounds: each round is a shuffle of its own, and the next depends on the seed alone.
      rounds: Array.from({ length: options.trials }, () => shuffled([...cells.keys()], draw)),
    }),
  );
}

/** A cell's name: the Node client, which fair mode has, is not said. */
export function cellId({ target, client, alpha, depth, sessions }: CellSpec): string {
  const by = client === 'node' ? '' : `-${client}`;
  return `${target.target}${by}-a${alpha}-d${depth}-s${sessions}`;
}

function cellOf(spec: CellSpec, options: PlanOptions, workload: LoadedWorkload): Cell {
  const { target, client, alpha, sessions, depth } = spec;
  return {
    id: cellId(spec),
    target: target.target,
    client,
    workload: workload.found.name,
    parameters: workloadParameters(workload, options, alpha),
    alpha,
    sessions,
    depth,
    threads: Math.min(options.threads, sessions),
  };
}
