import type { Row, ScalarValue } from '@fair-bench/contract';

/** A scan of one table: keys at or beyond `from`, with `prefix`, in the order of the key, at most `limit`. */
export interface ScanRange {
  readonly from: Row;
  readonly prefix: Row;
  readonly descending: boolean;
  readonly limit: number;
}

/** A column that an operation leaves to the server is null in a model's row: its value is unknown. */
export type ModelRow = readonly (ScalarValue | null)[];

/** The model's storage: `get`, `put` and `range` of one transaction. Tables are identified by their numbers. */
export interface Store {
  get(table: number, key: Row): ModelRow | null;
  /** Inserts the row or replaces the one with its key. */
  put(table: number, row: ModelRow): void;
  remove(table: number, key: Row): void;
  range(table: number, range: ScanRange): ModelRow[];
}

/** What operations in code need beside that. */
export interface CodeStore extends Store {
  /** Rows whose key begins with `prefix` and that have a value in a column which nobody writes, in the order of the key. */
  having(table: number, prefix: Row, column: number, value: ScalarValue): ModelRow[];
}

export function isCodeStore(store: Store): store is CodeStore {
  return 'having' in store;
}

/** Rows in memory. */
export class MemoryStore implements CodeStore {
  readonly #keyColumns: readonly number[];
  readonly #tables: readonly Map<string, ModelRow>[];

  /** `keyColumns` has, for each table, the number of its key's columns. */
  constructor(keyColumns: readonly number[]) {
    this.#keyColumns = keyColumns;
    this.#tables = keyColumns.map(() => new Map<string, ModelRow>());
  }

  get(table: number, key: Row): ModelRow | null {
    return this.#tables[table]?.get(key.join(' ')) ?? null;
  }

  put(table: number, row: ModelRow): void {
    this.#tables[table]?.set(row.slice(0, this.#keyColumns[table]).join(' '), row);
  }

  remove(table: number, key: Row): void {
    this.#tables[table]?.delete(key.join(' '));
  }

  range(table: number, { from, prefix, descending, limit }: ScanRange): ModelRow[] {
    const width = this.#keyColumns[table] ?? 1;
    const sign = descending ? -1 : 1;
    return this.rows(table)
      .filter((row) => compareKeys(row, prefix, prefix.length) === 0)
      .filter((row) => sign * compareKeys(row, from, from.length) >= 0)
      .sort((a, b) => sign * compareKeys(a, b, width))
      .slice(0, limit);
  }

  having(table: number, prefix: Row, column: number, value: ScalarValue): ModelRow[] {
    const range = { from: [], prefix, descending: false, limit: Number.MAX_SAFE_INTEGER };
    return this.range(table, range).filter((row) => row[column] === value);
  }

  rows(table: number): ModelRow[] {
    return [...(this.#tables[table]?.values() ?? [])];
  }
}

/** Below, at or above 0, as the first `width` values of `a` compare with those of `b`. */
export function compareKeys(a: ModelRow, b: ModelRow, width: number): number {
  for (let place = 0; place < width; place += 1) {
    const [left, right] = [a[place] ?? 0, b[place] ?? 0];
    if (left < right) return -1;
    if (left > right) return 1;
  }
  return 0;
}
