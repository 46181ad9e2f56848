import type { Row, ScalarValue, TableShape } from '@fair-bench/contract';
import { MemoryStore, type ModelRow, type ScanRange, type Store } from '@fair-bench/workload/execution';

/** Rows in memory, by table. */
export class Memory implements Store {
  readonly #shapes: readonly TableShape[];
  readonly #tables: Map<ScalarValue, ModelRow>[];

  constructor(shapes: readonly TableShape[]) {
    this.#shapes = shapes;
    this.#tables = shapes.map(() => new Map<ScalarValue, ModelRow>());
  }

  get(table: number, key: Row): ModelRow | null {
    return this.#rows(table).get(this.#keyOf(table, key)) ?? null;
  }

  put(table: number, row: ModelRow): void {
    this.#rows(table).set(this.#keyOf(table, row), row);
  }

  remove(table: number, key: Row): void {
    this.#rows(table).delete(this.#keyOf(table, key));
  }

  range(table: number, range: ScanRange): ModelRow[] {
    const store = new MemoryStore(this.#shapes.map(({ keyColumns }) => keyColumns));
    for (const row of this.#rows(table).values()) store.put(table, row);
    return store.range(table, range);
  }

  /** A table's rows by their keys; a key of one column by its value. A compiled operation changes them in place. */
  map(table: number): Map<ScalarValue, ModelRow> {
    return this.#rows(table);
  }

  clear(table: number): void {
    this.#rows(table).clear();
  }

  rows(table: number): ModelRow[] {
    return [...this.#rows(table).values()];
  }

  /** A row's key in a map: the one column, or a text of all. */
  #keyOf(table: number, row: ModelRow): ScalarValue {
    const shape = this.#shapes[table];
    if (shape?.keyColumns !== 1) return row.slice(0, shape?.keyColumns).join(' ');
    const first = row[0] ?? 0;
    return shape.columns[0]?.type.kind === 'int64' && typeof first === 'number' ? BigInt(first) : first;
  }

  #rows(table: number): Map<ScalarValue, ModelRow> {
    const rows = this.#tables[table];
    if (rows === undefined) throw new Error(`null: no table ${table}`);
    return rows;
  }
}
