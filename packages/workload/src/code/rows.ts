import { nothingAt } from '../nothing-at.ts';
import type { ConditionFinding, Row } from '@fair-bench/contract';
import { Mismatches } from '../replay/growing.ts';
import { describeRow } from '../replay/reply-check.ts';
import type { ResolvedTable, Workload } from '../resolved.ts';
import { equalValues } from '../seeded.ts';
import type { ModelRow } from '../store.ts';
import type { CodeOperations } from './carry-out.ts';
import type { Condition } from './program.ts';
import { keyOf, type SeededStore, type SeededTable } from './seeded-store.ts';

/** A row of the database that is not as the store has it; null where it is missing. */
interface Difference {
  readonly table: ResolvedTable;
  readonly key: Row;
  readonly found: Row | null;
}

/** Beyond this many, a database has another content altogether. */
const differencesMax = 200_000;

interface Reading {
  readonly condition: Condition;
  readonly begun: ReturnType<Condition['begin']>;
}

/** Compares every row of a database with those of a store, and has the workload's conditions read them. */
export class RowsInCode {
  readonly #workload: Workload;
  readonly #store: SeededStore;
  readonly #operations: CodeOperations;
  readonly #wrong = new Mismatches('rows with a wrong value');
  readonly #missing = new Mismatches('rows missing');
  readonly #doubled = new Mismatches('rows more than once');
  readonly #unknown = new Mismatches('rows that nobody inserted');
  readonly #readings: readonly Reading[];
  /** By table and key. */
  readonly #differences = new Map<string, Difference>();
  checked = 0;

  constructor(workload: Workload, store: SeededStore, operations: CodeOperations) {
    this.#workload = workload;
    this.#store = store;
    this.#operations = operations;
    const { parameter } = operations.tables;
    this.#readings = operations.program.conditions.map((condition) => ({
      condition,
      begun: condition.begin(parameter),
    }));
  }

  get mismatches(): readonly Mismatches[] {
    return [this.#wrong, this.#missing, this.#doubled, this.#unknown];
  }

  /** Whether a condition reads a table. */
  reads(table: number): boolean {
    const name = this.#tableAt(table).name;
    return this.#readings.some(({ condition }) => condition.tables.includes(name));
  }

  /** Takes all rows of a table, in any order. */
  async take(number: number, pages: AsyncIterable<readonly Row[]>, signal: AbortSignal): Promise<void> {
    const table = this.#tableAt(number);
    const own = new TableRows(this.#store.at(number));
    const { nameRow } = this.#operations.tables.named(table.name);
    const readings = this.#readings.filter(({ condition }) => condition.tables.includes(table.name));
    for await (const page of pages) {
      signal.throwIfAborted();
      for (const row of page) {
        this.checked += 1;
        const seen = own.take(row);
        if (seen === 'again') this.#doubled.add(() => describeRow(table, row));
        else if (seen === 'differs') this.#note(table, keyOf(table, row), row);
        if (readings.length === 0) continue;
        const named = nameRow(row);
        for (const { begun } of readings) begun.row(table.name, named);
      }
    }
    for (const key of own.unseen()) this.#note(table, key, null);
  }

  /** Whether a row of the database is not as the store has it, but as it is given here; null is a row that is not there. */
  differsAs(table: number, key: Row, row: ModelRow | null): boolean {
    const difference = this.#differences.get(`${table} ${key.join(' ')}`);
    if (difference === undefined) return false;
    const { found } = difference;
    const now = this.#store.get(table, key);
    const isAlready = now === null || found === null ? now === found : isRow(now, found);
    if (isAlready) return false;
    return found === null || row === null ? found === row : isRow(row, found);
  }

  /** Counts what still differs. */
  judge(): void {
    for (const { table, key, found } of this.#differences.values()) {
      const expected = this.#store.get(table.number, key);
      const name = describeRow(table, key);
      if (found === null) {
        if (expected !== null) this.#missing.add(() => name);
      } else if (expected === null) {
        this.#unknown.add(() => name);
      } else if (!isRow(expected, found)) {
        this.#wrong.add(() => `${name}: ${differenceIn(table, expected, found)}`);
      }
    }
  }

  conditions(): readonly ConditionFinding[] {
    return this.#readings.map(({ condition: { name }, begun }) => ({ name, fact: begun.end() }));
  }

  #note(table: ResolvedTable, key: Row, found: Row | null): void {
    if (this.#differences.size >= differencesMax)
      throw new Error(
        `${this.#workload.name}: more than ${differencesMax} rows differ; seed the tables again`,
      );
    this.#differences.set(`${table.number} ${key.join(' ')}`, { table, key, found });
  }

  #tableAt(number: number): ResolvedTable {
    return this.#workload.tables[number] ?? nothingAt(number);
  }
}

/** The rows of one table, as they are met. */
class TableRows {
  readonly #table: SeededTable;
  /** By number of a seeded row, whether it was met. */
  readonly #seen: Uint8Array;
  readonly #seenChanges = new Set<string>();

  constructor(table: SeededTable) {
    this.#table = table;
    this.#seen = new Uint8Array(table.table.rows);
  }

  take(row: Row): 'is as expected' | 'differs' | 'again' {
    const key = keyOf(this.#table.table, row);
    const number = this.#table.seededNumber(key);
    const changed = this.#table.changes.size === 0 ? undefined : this.#table.changes.get(key.join(' '));
    if (number === null || changed !== undefined) {
      const name = key.join(' ');
      if (this.#seenChanges.has(name)) return 'again';
      this.#seenChanges.add(name);
      if (number !== null) this.#seen[number] = 1;
      return changed !== undefined && changed !== null && isRow(changed, row) ? 'is as expected' : 'differs';
    }
    if (this.#seen[number] === 1) return 'again';
    this.#seen[number] = 1;
    return this.#isSeeded(number, row) ? 'is as expected' : 'differs';
  }

  /** The keys of rows that were not met and must be there. */
  *unseen(): Generator<Row> {
    for (const [name, row] of this.#table.changes) {
      if (row !== null && !this.#seenChanges.has(name)) yield keyOf(this.#table.table, row);
    }
    for (let number = this.#seen.indexOf(0); number !== -1; number = this.#seen.indexOf(0, number + 1)) {
      if (!this.#table.isSeeded(number)) continue;
      const key = keyOf(this.#table.table, this.#keyAt(number));
      if (!this.#table.changes.has(key.join(' '))) yield key;
    }
  }

  #keyAt(number: number): Row {
    const { keyColumns } = this.#table.table;
    return Array.from({ length: keyColumns }, (_, column) => this.#table.seededValue(number, column));
  }

  #isSeeded(number: number, row: Row): boolean {
    const { columns, keyColumns } = this.#table.table;
    for (let column = keyColumns; column < columns.length; column += 1) {
      if (!equalValues(this.#table.seededValue(number, column), row[column])) return false;
    }
    return true;
  }
}

/** A value that only the server knows is null in the expected row: any will do. */
function isRow(expected: ModelRow, found: Row): boolean {
  return expected.every((value, place) => value === null || equalValues(value, found[place]));
}

function differenceIn({ columns }: ResolvedTable, expected: ModelRow, found: Row): string {
  const place = expected.findIndex((value, at) => value !== null && !equalValues(value, found[at]));
  return `${columns[place]?.name} is ${String(found[place])} instead of ${String(expected[place])}`;
}
