import type { PlannedTarget, RunPlan } from '@fair-bench/results';
import {
  jsonObjectSchema,
  type TargetOptions,
  targetSettingsSchema,
  type TargetWorkload,
  type WorkloadShape,
} from '@fair-bench/contract';
import { resolveWorkload, shapeOf } from '@fair-bench/workload';
import type { LoadedWorkload } from '../discover/workload.ts';

/** The inputs of a target's options. */
export interface OptionsInput {
  readonly plan: RunPlan;
  readonly workload: LoadedWorkload;
  /** Target → the user's endpoint, with its password, which the plan leaves out. Never written to a file. */
  readonly urls: Readonly<Record<string, string>>;
}

/** What a connector is given for its target. */
export function targetOptions({ plan, workload, urls }: OptionsInput, target: PlannedTarget): TargetOptions {
  // Targets of one system may share a server, which the first of them starts.
  const ofSystem = plan.targets.filter(({ system }) => system === target.system);
  const names = new Set(ofSystem.map((one) => one.target));
  const cells = plan.cells.filter((cell) => names.has(cell.target));
  const { sessions = [], depths = [] } = plan.search ?? {};
  const url = urls[target.target];
  return {
    ...targetSettingsSchema.strip().parse(target),
    ...(url === undefined ? {} : { url }),
    sessionsMax: Math.max(1, ...sessions, ...cells.map((cell) => cell.sessions)),
    batchMax: Math.max(1, ...cells.map((cell) => cell.batch)),
    depthMax: Math.max(1, ...depths, ...cells.map((cell) => cell.depth)),
    threadsMax: Math.max(1, ...cells.map((cell) => cell.threads)),
    workload: targetWorkload(plan, workload),
  };
}

/** The workload with the longest lists of any cell in the plan. */
function targetWorkload(plan: RunPlan, { description, folder }: LoadedWorkload): TargetWorkload {
  const sets = new Map(plan.cells.map(({ parameters }) => [JSON.stringify(parameters), parameters]));
  const shapes = [...sets.values()].map((parameters) => shapeOf(resolveWorkload(description, parameters)));
  const [shape] = shapes;
  if (shape === undefined) throw new Error('a plan without cells has no workload');
  return { shape: shapes.reduce(widest, shape), description: jsonObjectSchema.parse(description), folder };
}

/** Shapes of one description differ only in the maximal length of their lists. */
function widest(one: WorkloadShape, other: WorkloadShape): WorkloadShape {
  const operations = one.operations.map((operation, number) => ({
    ...operation,
    arguments: operation.arguments.map((argument, slot) => {
      const beside = other.operations[number]?.arguments[slot];
      if (argument.kind !== 'list' || beside?.kind !== 'list') return argument;
      return { ...argument, max: Math.max(argument.max, beside.max) };
    }),
  }));
  return { ...one, operations };
}
