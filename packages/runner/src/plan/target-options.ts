import type { PlannedTarget, RunPlan } from '@fair-bench/results';
import {
  type ArgumentShape,
  type ColumnShape,
  type TargetOptions,
  targetSettingsSchema,
  type TargetWorkload,
  type WorkloadShape,
} from '@fair-bench/contract';
import { defaultParameters, resolveWorkload, shapeOf, targetWorkload } from '@fair-bench/workload';
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
    workload: widestWorkload(plan, workload),
  };
}

/** The workload with the longest lists, texts and bytes of any cell in the plan, and of the rehearsal, which has the defaults. */
function widestWorkload(plan: RunPlan, workload: LoadedWorkload): TargetWorkload {
  const { description } = workload;
  const all = [defaultParameters(description), ...plan.cells.map(({ parameters }) => parameters)];
  const sets = new Map(all.map((parameters) => [JSON.stringify(parameters), parameters]));
  const shapes = [...sets.values()].map((parameters) => shapeOf(resolveWorkload(description, parameters)));
  return targetWorkload(workload, shapes.reduce(widest));
}

/** Shapes of one description differ only in lengths: of their lists, texts and bytes. */
function widest(one: WorkloadShape, other: WorkloadShape): WorkloadShape {
  const tables = one.tables.map((table, number) => ({
    ...table,
    columns: widestColumns(table.columns, other.tables[number]?.columns),
  }));
  const operations = one.operations.map((operation, number) => {
    const beside = other.operations[number];
    const all = operation.arguments.map((argument, slot) =>
      widestArgument(argument, beside?.arguments[slot]),
    );
    const { returns } = operation;
    if (returns.kind !== 'fields' || beside?.returns.kind !== 'fields')
      return { ...operation, arguments: all };
    const fields = widestColumns(returns.fields, beside.returns.fields);
    return { ...operation, arguments: all, returns: { ...returns, fields } };
  });
  return { ...one, tables, operations };
}

function widestArgument(one: ArgumentShape, other: ArgumentShape | undefined): ArgumentShape {
  if (one.kind === 'scalar') return other?.kind === 'scalar' ? widestColumn(one, other) : one;
  if (other?.kind !== 'list') return one;
  return { ...one, max: Math.max(one.max, other.max), fields: widestColumns(one.fields, other.fields) };
}

function widestColumns(
  columns: readonly ColumnShape[],
  others: readonly ColumnShape[] | undefined,
): readonly ColumnShape[] {
  return columns.map((column, place) => widestColumn(column, others?.[place] ?? column));
}

function widestColumn<T extends ColumnShape>(one: T, { type }: ColumnShape): T {
  return 'length' in one.type && 'length' in type && type.length > one.type.length ? { ...one, type } : one;
}
