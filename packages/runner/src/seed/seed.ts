import { createHash } from 'node:crypto';
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
  /** Tables that no operation writes and whose rows were not read again since they were loaded. */
  readonly unread: Set<number>;
}

/** A copy takes its room a second time. */
const copiedRowsMax = 1_000_000;

/** What each running target holds, and which of its tables' rows it has copies of. */
interface Contents {
  readonly tables: string;
  /** By the table's number: what its rows were seeded as. */
  readonly rows: ReadonlyMap<number, string>;
  readonly copies: ReadonlySet<string>;
  readonly unread: Set<number>;
}

const contents = new WeakMap<SeededDeployment, Contents>();

/**
 * Creates the tables and installs the binding once per target and workload, and replaces the rows of every table that is
 * written, from a copy within the system where it has one. A table that no operation writes stays as it is.
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
  const rows = new Map<number, string>();
  for (const table of workload.tables) {
    const last = canaries.flatMap(({ seeded }) => seeded).filter((each) => each.table === table.number);
    const lastRows = last.map(({ row }) => row);
    const seeded = rowsName(workload, table, shapeText);
    const all = JSON.stringify([seeded, lastRows], asText);
    if (table.written || !isSame || before.rows.get(table.number) !== all) {
      await replaceRows({ workload, table, tables, seeded, copies, lastRows, signal });
      if (!table.written) unread.add(table.number);
    }
    rows.set(table.number, all);
  }
  contents.set(deployment, { tables: shapeText, rows, copies, unread });
  return { workload, tables, unread };
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
  // What a server has lost meanwhile is loaded again.
  const isRefilled = copies.has(seeded) && (await kept.refill(number, seeded, signal)) === table.rows;
  if (!isRefilled) {
    await tables.clear(number, signal);
    await tables.load(number, inTurn(seededPages(workload, table)), signal);
    await kept.keep(number, seeded, signal);
    copies.add(seeded);
  }
  await tables.load(number, inTurn(last), signal);
}

/**
 * A name for a table's seeded rows, the same for the same rows. The seed is in it only where a value is drawn from it:
 * each round draws other operations from one dataset.
 */
function rowsName(workload: Workload, table: Table, shapeText: string): string {
  const isDrawn = table.columns.slice(table.keyColumns).some(({ seed: { kind } }) => kind !== 'constant');
  const { number, rows, extents, columns } = table;
  const from = [shapeText, number, rows, extents, columns, isDrawn ? workload.seed : null];
  return createHash('sha256').update(JSON.stringify(from, asText)).digest('hex').slice(0, 24);
}

/** What JSON has no form of: integers of 64 bits, and infinity, which it would call null. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' || value === Infinity ? String(value) : value;
}

async function* inTurn(...all: readonly Iterable<readonly Row[]>[]): AsyncIterable<readonly Row[]> {
  for (const pages of all) for (const page of pages) yield await Promise.resolve(page);
}

export function bounded(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
