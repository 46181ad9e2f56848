import type { Binding, ControlPlane, Deployment, Row } from '@fair-bench/contract';
import type { Cell } from '@fair-bench/results';
import {
  type Canary,
  resolveWorkload,
  seededPages,
  shapeOf,
  type Workload,
  type WorkloadDescription,
} from '@fair-bench/workload';

const seedTimeoutMs = 300_000;

export interface SeedSetting {
  readonly cell: Pick<Cell, 'target' | 'parameters'>;
  readonly workload: WorkloadDescription;
  /** How the target carries its operations out; none for a target that needs none. */
  readonly binding?: Binding;
  readonly deployment: SeededDeployment;
  /** Operations beside the load, whose rows are seeded too. */
  readonly canaries?: readonly Canary[];
  /** Aborts the run: what was measured so far is reported as interrupted. */
  readonly signal: AbortSignal;
}

/** What the seeding needs of a deployment. */
export type SeededDeployment = Pick<Deployment, 'tables'>;

/** A trial's workload, and the tables that it was seeded in. */
export interface Seeded {
  readonly workload: Workload;
  readonly tables: ControlPlane;
}

/** What each running target holds: tables that no operation writes stay as they are while the parameters do. */
const held = new WeakMap<SeededDeployment, { readonly tables: string; readonly rows: string }>();

/** Creates the tables and installs the binding once per target and workload, and replaces the tables' rows. */
export async function seed(setting: SeedSetting): Promise<Seeded> {
  const { deployment, cell, binding, canaries = [] } = setting;
  const workload = resolveWorkload(setting.workload, cell.parameters);
  const { tables } = deployment;
  const signal = bounded(setting.signal, seedTimeoutMs);
  const shape = shapeOf(workload);
  const now = { tables: JSON.stringify(shape), rows: JSON.stringify([cell.parameters, canaries.length]) };
  const before = held.get(deployment);
  held.delete(deployment);
  if (before?.tables !== now.tables) {
    await tables.create(shape.tables, signal);
    await tables.install(binding ?? { workload: shape.name, path: null }, signal);
  }
  const hasRows = before?.tables === now.tables && before.rows === now.rows;
  for (const table of workload.tables) {
    if (hasRows && !table.written) continue;
    await tables.clear(table.number, signal);
    await tables.load(table.number, pagesOf(workload, table, canaries), signal);
  }
  held.set(deployment, now);
  return { workload, tables };
}

async function* pagesOf(
  workload: Workload,
  table: Workload['tables'][number],
  canaries: readonly Canary[],
): AsyncIterable<readonly Row[]> {
  for (const page of seededPages(workload, table)) yield await Promise.resolve(page);
  const own = canaries.flatMap(({ seeded }) => seeded).filter((each) => each.table === table.number);
  if (own.length > 0) yield own.map(({ row }) => row);
}

export function bounded(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
