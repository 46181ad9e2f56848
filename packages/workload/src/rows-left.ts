import type { Row, ScalarValue } from '@fair-bench/contract';
import { ruledTables, writesOf } from './checker.ts';
import { Hash, words } from './replay/version.ts';
import { nothingAt } from './nothing-at.ts';
import type { ResolvedOperation, ResolvedTable, RowsBefore, RowsDigest, Workload } from './resolved.ts';
import { seededNumber } from './seeded.ts';

/** Sums the hashes of rows, in any order. */
export class DigestOfRows {
  readonly #hash = new Hash();
  #count = 0;
  #first = 0;
  #second = 0;

  add(row: Row): void {
    this.#hash.clear();
    for (const value of row) this.#hash.add(value);
    this.#hash.finish();
    this.#count += 1;
    this.#first = (this.#first + (words[0] ?? nothingAt(0))) >>> 0;
    this.#second = (this.#second + (words[1] ?? nothingAt(1))) >>> 0;
  }

  get digest(): RowsDigest {
    return { count: this.#count, sums: [this.#first, this.#second] };
  }
}

export function isSameDigest(one: RowsDigest, other: RowsDigest): boolean {
  return one.count === other.count && one.sums.every((sum, place) => sum === other.sums[place]);
}

interface LeftTable {
  readonly table: ResolvedTable;
  /** By column that operations change, the values of the seeded rows by their numbers; undefined where the row was not there. */
  readonly values: ReadonlyMap<number, (ScalarValue | undefined)[]>;
  readonly inserted: DigestOfRows;
}

/**
 * The rows of a workload's tables as a load left them: what the next load begins with, where nothing is seeded in between. It keeps
 * the columns that operations change, and of inserted rows a digest: 10 to 100 bytes for each such value, nothing for an inserted row.
 */
export class RowsLeft implements RowsBefore {
  readonly #tables: readonly LeftTable[];

  constructor({ tables }: Workload) {
    this.#tables = tables.map((table) => ({
      table,
      values: new Map(
        table.columns.flatMap(({ added, set }, column) =>
          added || set
            ? [[column, Array.from<ScalarValue | undefined>({ length: table.rows })] as const]
            : [],
        ),
      ),
      inserted: new DigestOfRows(),
    }));
  }

  /** Takes rows of a table, in any order, each once. */
  take(table: number, rows: readonly Row[]): void {
    const left = this.#tables[table];
    if (left === undefined) return;
    for (const row of rows) {
      const number = seededNumber(left.table, row);
      if (number === null) left.inserted.add(row);
      else for (const [column, values] of left.values) values[number] = row[column];
    }
  }

  value(table: number, column: number, row: number): ScalarValue | undefined {
    return this.#tables[table]?.values.get(column)?.[row];
  }

  inserted(table: number): RowsDigest {
    return this.#tables[table]?.inserted.digest ?? { count: 0, sums: [0, 0] };
  }
}

/**
 * Why a load of this workload cannot go on from the rows that another one left; null if it can. Rows that are inserted are known by
 * their digest, so no later operation may depend on one.
 */
export function whyNotContinued({ description, operations, tables }: Workload): string | null {
  if (description.code !== undefined) return 'its operations are in code';
  const drawn = operations.filter(({ weight }) => weight > 0);
  const written = drawn.flatMap(({ description: one }) => writesOf(one));
  const versioned = tables.find(({ columns }) => columns.some(({ writer }) => writer !== undefined));
  if (versioned !== undefined) return `rows of its table ${versioned.name} have versions`;
  const deleted = written.find(({ kind }) => kind === 'delete');
  if (deleted !== undefined) return `it deletes rows of ${deleted.table}`;
  for (const operation of drawn) {
    const { name, description: one } = operation;
    if (one.effects.some((effect) => effect.kind === 'insert' && effect.ifMissing === true))
      return `its operation ${name} inserts rows where they are missing`;
    if (takesReplies(operation)) return `its operation ${name} takes an argument from an earlier reply`;
  }
  const inserted = new Set(written.flatMap(({ kind, table }) => (kind === 'insert' ? [table] : [])));
  const changed = written.find(({ kind, table }) => kind !== 'insert' && inserted.has(table));
  if (changed !== undefined) return `it changes rows of ${changed.table}, into which it inserts`;
  for (const { name, description: one } of drawn) {
    const seen = [...ruledTables(one), ...('table' in one.returns ? [one.returns.table] : [])];
    const table = seen.find((each) => inserted.has(each));
    if (table !== undefined) return `its operation ${name} reads rows of ${table}, into which it inserts`;
  }
  return null;
}

function takesReplies({ arguments: all }: ResolvedOperation): boolean {
  const drawn = all.flatMap((one) => (one.kind === 'list' ? one.fields : [one]));
  return drawn.some(({ generator: { kind } }) => kind === 'replied');
}
