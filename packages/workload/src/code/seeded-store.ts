import { nothingAt } from '../nothing-at.ts';
import type { Row, ScalarValue } from '@fair-bench/contract';
import type { ResolvedTable, Workload } from '../resolved.ts';
import {
  createSeededCells,
  createSeededRows,
  type SeededCell,
  seededKey,
  seededNumber,
  seededPresence,
} from '../seeded.ts';
import type { CodeStore, ModelRow, ScanRange } from '../store.ts';

/**
 * The rows of a workload after operations on them: those that are as they were seeded are made when they are asked for, so that
 * memory is that of the changes alone.
 */
export class SeededStore implements CodeStore {
  readonly #tables: readonly SeededTable[];

  constructor(workload: Workload) {
    const cells = createSeededCells(workload);
    this.#tables = workload.tables.map((table) => new SeededTable(workload, table, cells));
  }

  get(table: number, key: Row): ModelRow | null {
    return this.at(table).get(key);
  }

  put(table: number, row: ModelRow): void {
    this.at(table).put(row);
  }

  remove(table: number, key: Row): void {
    this.at(table).remove(key);
  }

  range(table: number, range: ScanRange): ModelRow[] {
    return this.at(table).range(range);
  }

  having(table: number, prefix: Row, column: number, value: ScalarValue): ModelRow[] {
    return this.at(table).having(prefix, column, value);
  }

  /** The row as it was seeded; null where none was. */
  seededRow(table: number, key: Row): ModelRow | null {
    return this.at(table).seededRow(key);
  }

  at(table: number): SeededTable {
    return this.#tables[table] ?? nothingAt(table);
  }
}

/** The rows of one table. */
export class SeededTable {
  readonly table: ResolvedTable;
  readonly #cells: SeededCell;
  readonly #rowOf: (number: number) => Row;
  readonly isSeeded: (number: number) => boolean;
  /** By key: rows that operations inserted or changed; null where they deleted one. */
  readonly changes = new Map<string, ModelRow | null>();
  /** By all columns of the key but the last: the last one of inserted rows, ascending. */
  readonly #inserted = new Map<string, number[]>();
  /** By prefix: no row has a smaller last column. Whoever takes the oldest again and again leaves a gap before it. */
  readonly #begins = new Map<string, number>();
  /** By prefix, then by column: the keys of the rows by their value there, in order. */
  readonly #having = new Map<string, Map<number, Map<ScalarValue, Row[]>>>();

  constructor(workload: Workload, table: ResolvedTable, cells: SeededCell) {
    this.table = table;
    this.#cells = cells;
    this.#rowOf = createSeededRows(workload, table);
    this.isSeeded = seededPresence(workload, table);
  }

  get(key: Row): ModelRow | null {
    const changed = this.changes.get(key.join(' '));
    if (changed !== undefined) return changed;
    return this.seededRow(key);
  }

  seededRow(key: Row): ModelRow | null {
    const number = this.seededNumber(key);
    return number === null ? null : this.#rowOf(number);
  }

  /** The number of the row that was seeded with a key; null where none was. */
  seededNumber(key: Row): number | null {
    const number = seededNumber(this.table, key);
    return number !== null && this.isSeeded(number) ? number : null;
  }

  put(row: ModelRow): void {
    const key = keyOf(this.table, row);
    const name = key.join(' ');
    const prefix = key.slice(0, -1).join(' ');
    const last = Number(key.at(-1));
    if (last < (this.#begins.get(prefix) ?? last)) this.#begins.set(prefix, last);
    if (!this.changes.has(name) && this.seededNumber(key) === null) {
      this.#note(prefix, last);
      const columns = this.#having.get(prefix) ?? [];
      for (const [column, known] of columns) addTo(known, row[column] ?? nothingAt(column), key);
    }
    this.changes.set(name, row);
  }

  remove(key: Row): void {
    // What was never there is not a change: whoever inserts it later is noted.
    if (this.get(key) !== null) this.changes.set(key.join(' '), null);
  }

  range({ prefix, from, descending, limit }: ScanRange): ModelRow[] {
    const rows: ModelRow[] = [];
    const name = prefix.join(' ');
    const width = this.table.keyColumns - 1;
    const asked = from.length > width ? Number(from[width]) : null;
    const gone = this.#begins.get(name) ?? Number.NEGATIVE_INFINITY;
    const isWhole = !descending && (asked === null || asked <= gone);
    for (const last of this.#lasts(prefix, descending, descending ? asked : Math.max(asked ?? gone, gone))) {
      const row = this.get([...prefix, last]);
      if (row === null) continue;
      if (isWhole && rows.length === 0) this.#begins.set(name, last);
      rows.push(row);
      if (rows.length >= limit) break;
    }
    return rows;
  }

  /** Of a column that nobody writes: the rows are found once for each prefix. */
  having(prefix: Row, column: number, value: ScalarValue): ModelRow[] {
    const name = prefix.join(' ');
    let columns = this.#having.get(name);
    if (columns === undefined) this.#having.set(name, (columns = new Map()));
    let known = columns.get(column);
    if (known === undefined) {
      known = new Map();
      columns.set(column, known);
      for (const last of this.#lasts(prefix, false, null)) {
        const key = [...prefix, last];
        const at = this.#valueAt(key, column);
        if (at !== null) addTo(known, at, key);
      }
    }
    return (known.get(value) ?? []).flatMap((key) => {
      const row = this.get(key);
      return row === null ? [] : [row];
    });
  }

  /** The value of a cell as it was seeded. */
  seededValue(number: number, column: number): ScalarValue {
    const { keyColumns, number: table } = this.table;
    if (column < keyColumns) return seededKey(this.table, number)[column] ?? nothingAt(column);
    return this.#cells(table, column, number);
  }

  #valueAt(key: Row, column: number): ScalarValue | null {
    const changed = this.changes.get(key.join(' '));
    if (changed !== undefined) return changed?.[column] ?? null;
    const number = this.seededNumber(key);
    return number === null ? null : this.seededValue(number, column);
  }

  #note(prefix: string, last: number): void {
    const lasts = this.#inserted.get(prefix);
    if (lasts === undefined) return void this.#inserted.set(prefix, [last]);
    // Nearly always the largest so far.
    let place = lasts.length;
    while (place > 0 && (lasts[place - 1] ?? 0) > last) place -= 1;
    return void lasts.splice(place, 0, last);
  }

  /** The last column of the keys with a prefix, in order from `begin` on; of rows that may be gone. */
  *#lasts(prefix: Row, descending: boolean, begin: number | null): Generator<number> {
    const { extents, firsts, keyColumns } = this.table;
    const first = firsts?.[keyColumns - 1] ?? 0;
    const isSeeded = seededNumber(this.table, [...prefix, first]) !== null;
    const end = isSeeded ? first + (extents[keyColumns - 1] ?? 0) : first;
    const inserted = this.#inserted.get(prefix.join(' ')) ?? [];
    if (!descending) {
      const from = begin ?? Number.NEGATIVE_INFINITY;
      let place = placeOf(inserted, from);
      for (let last = Math.max(first, from); last < end; last += 1) {
        while (place < inserted.length && (inserted[place] ?? 0) < last) yield inserted[place++] ?? 0;
        if (inserted[place] !== last) yield last;
      }
      while (place < inserted.length) yield inserted[place++] ?? 0;
      return;
    }
    const from = begin ?? Number.POSITIVE_INFINITY;
    let place = placeOf(inserted, from + 1) - 1;
    for (let last = Math.min(end - 1, from); last >= first; last -= 1) {
      while (place >= 0 && (inserted[place] ?? 0) > last) yield inserted[place--] ?? 0;
      if (inserted[place] !== last) yield last;
    }
    while (place >= 0) yield inserted[place--] ?? 0;
  }
}

/** The first place whose number is not smaller. */
function placeOf(numbers: readonly number[], from: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function addTo(known: Map<ScalarValue, Row[]>, value: ScalarValue, key: Row): void {
  const others = known.get(value);
  if (others === undefined) return void known.set(value, [key]);
  others.push(key);
  // Nearly always the largest so far.
  if (Number(others.at(-2)?.at(-1)) > Number(key.at(-1)))
    others.sort((a, b) => Number(a.at(-1)) - Number(b.at(-1)));
}

export function keyOf({ keyColumns }: ResolvedTable, row: ModelRow): Row {
  return row.slice(0, keyColumns).map((value) => value ?? 0);
}
