import type { Binding, ControlPlane, Deployment, Row } from '@fair-bench/contract';
import type { Cell } from '@fair-bench/results';
import {
  type Canary,
  resolveWorkload,
  seededCount,
  seededPages,
  shapeOf,
  type Workload,
  type WorkloadDescription,
} from '@fair-bench/workload';
import { digestOf } from '../discover/digest.ts';

const seedTimeoutMs = 300_000;

export interface SeedSetting {
  readonly cell: Pick<Cell, 'target' | 'parameters'>;
  readonly workload: WorkloadDescription;
  /** The target's binding of the operations; null for a target that needs none. */
  readonly binding?: Binding;
  readonly deployment: SeededDeployment;
  /** Operations beside the load, whose rows are seeded too. */
  readonly canaries?: readonly Canary[];
  /** Aborts the run: trials measured so far are reported as interrupted. */
  readonly signal: AbortSignal;
}

/** What seeding needs of a deployment. */
type SeededDeployment = Pick<Deployment, 'tables'>;

/** A trial's workload with its seeded tables. */
export interface Seeded {
  readonly workload: Workload;
  readonly tables: ControlPlane;
  /** Tables that no operation writes and whose rows were not read again since they were loaded. */
  readonly unread: Set<number>;
  /** Tables whose rows were changed since, and not given their values back. */
  readonly touched: Set<number>;
}

/** A copy needs the same space again. */
const copiedRowsMax = 4_000_000;

/** The rows in each running target, and the copies of them. */
interface Contents {
  readonly tables: string;
  /** By the table's number: the identity of its seeded rows. */
  readonly rows: ReadonlyMap<number, string>;
  readonly copies: ReadonlySet<string>;
  readonly unread: Set<number>;
  readonly touched: Set<number>;
}

const contents = new WeakMap<SeededDeployment, Contents>();

/**
 * Creates the tables and installs the binding once per target and workload, and replaces the rows of every written
 * table, from a copy within the system if possible. A table that no operation writes stays.
 */
export async function seed(setting: SeedSetting): Promise<Seeded> {
  const { deployment, cell, binding, canaries = [] } = setting;
  const workload = resolveWorkload(setting.workload, cell.parameters);
  const { tables } = deployment;
  const signal = bounded(setting.signal, seedTimeoutMs);
  const shape = shapeOf(workload);
  const shapeText = JSON.stringify(shape);
  const before = contents.get(deployment);
  contents.delete(deployment);
  const isSame = before?.tables === shapeText;
  if (!isSame) {
    await tables.create(shape.tables, signal);
    await tables.install(binding ?? { workload: shape.name, path: null }, signal);
  }
  const copies = new Set(isSame ? before.copies : []);
  const unread = isSame ? before.unread : new Set<number>();
  const touched = isSame ? before.touched : new Set<number>();
  const rows = new Map<number, string>();
  for (const table of workload.tables) {
    const last = canaries.flatMap(({ seeded }) => seeded).filter((each) => each.table === table.number);
    const lastRows = last.map(({ row }) => row);
    const seeded = rowsName(workload, table, shapeText);
    const all = digestOf([seeded, lastRows]);
    if (table.written || !isSame || touched.has(table.number) || before.rows.get(table.number) !== all) {
      await replaceRows({ workload, table, tables, seeded, copies, lastRows, signal });
      if (!table.written) unread.add(table.number);
      touched.delete(table.number);
    }
    rows.set(table.number, all);
  }
  await tables.constrain?.(signal);
  contents.set(deployment, { tables: shapeText, rows, copies, unread, touched });
  return { workload, tables, unread, touched };
}

type Table = Workload['tables'][number];

interface Replacement {
  readonly workload: Workload;
  readonly table: Table;
  readonly tables: ControlPlane;
  /** The name of the workload's rows. */
  readonly seeded: string;
  /** The names of those of which there is a copy. */
  readonly copies: Set<string>;
  /** Rows beside the workload's. */
  readonly lastRows: readonly Row[];
  readonly signal: AbortSignal;
}

async function replaceRows(replacement: Replacement): Promise<void> {
  const { workload, table, tables, seeded, copies, lastRows, signal } = replacement;
  const { number } = table;
  const last = lastRows.length === 0 ? [] : [lastRows];
  const { copies: kept } = tables;
  if (kept === undefined || !table.written || table.rows > copiedRowsMax) {
    await tables.clear(number, signal);
    await tables.load(number, inTurn(seededPages(workload, table), last), signal);
    return;
  }
  // Rows that a server lost meanwhile are loaded again.
  const isRefilled =
    copies.has(seeded) && (await kept.refill(number, seeded, signal)) === seededCount(workload, table);
  if (!isRefilled) {
    await tables.clear(number, signal);
    await tables.load(number, inTurn(seededPages(workload, table)), signal);
    await kept.keep(number, seeded, signal);
    copies.add(seeded);
  }
  await tables.load(number, inTurn(last), signal);
}

/**
 * A name for a table's seeded rows: equal names mean equal rows. It includes the seed only if a value is drawn from
 * it: each round draws other operations from one dataset.
 */
function rowsName(workload: Workload, table: Table, shapeText: string): string {
  // Those of a workload in code are the same for every seed.
  const isInCode = workload.description.code !== undefined;
  const isDrawn =
    !isInCode && table.columns.slice(table.keyColumns).some(({ seed: { kind } }) => kind !== 'constant');
  const { number, rows, extents, columns } = table;
  const data = isInCode ? [workload.description.code, [...workload.parameters]] : [];
  const from = [shapeText, number, rows, extents, columns, isDrawn ? workload.seed : null, ...data];
  return digestOf(from).slice(0, 24);
}

async function* inTurn(...all: readonly Iterable<readonly Row[]>[]): AsyncIterable<readonly Row[]> {
  for (const pages of all) for (const page of pages) yield await Promise.resolve(page);
}

export function bounded(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
