import type { Row, ScalarValue } from '@fair-bench/contract';
import type { ResolvedTable, Workload } from '../resolved.ts';
import type { CodeStore, ModelRow } from '../store.ts';
import { keyOf } from './seeded-store.ts';
import { type NamedValues, rowNamer } from './named.ts';
import type { Columns, Named, Transaction } from './program.ts';
import { parametersIn } from './seeds.ts';

/** Thrown by an operation in code that declines. */
export class Declined extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`declined: ${reason}`);
    this.reason = reason;
  }
}

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

interface NamedTable {
  readonly table: ResolvedTable;
  readonly places: ReadonlyMap<string, number>;
  readonly nameRow: (values: ModelRow) => NamedValues;
}

/** What all transactions of a workload share. */
export class CodeTables {
  readonly parameter: (name: string) => number;
  readonly #tables: ReadonlyMap<string, NamedTable>;
  readonly #workload: string;

  constructor(workload: Workload) {
    this.#workload = workload.name;
    this.parameter = parametersIn(workload);
    this.#tables = new Map(
      workload.tables.map((table) => [
        table.name,
        {
          table,
          places: new Map(table.columns.map(({ name }, place) => [name, place])),
          nameRow: rowNamer(table),
        },
      ]),
    );
  }

  named(table: string): NamedTable {
    const found = this.#tables.get(table);
    if (found !== undefined) return found;
    throw new Error(`workload ${this.#workload}: there is no table "${table}"`);
  }
}

/** A change of one row; null is a row that is gone. */
interface Change {
  readonly table: ResolvedTable;
  readonly key: Row;
  readonly row: ModelRow | null;
}

/**
 * One operation's view of a store: its own changes over the rows that were there. `commit` makes them the store's; without it
 * nothing has happened.
 */
export class CodeTransaction implements Transaction {
  readonly #store: CodeStore;
  readonly #tables: CodeTables;
  /** By table that the operation may write, the most rows. */
  readonly #writes: Readonly<Record<string, number>>;
  readonly #operation: string;
  readonly #changes = new Map<string, Change>();
  /** Rows that it found as they were before, by table and key. */
  readonly #old: ReadonlyMap<string, ModelRow>;
  /** Whether it found rows that operations write and that are not among these. */
  readsOthers = false;
  /** Whether it has set a column to what it made of the row: sums may be added in any order, and this may not. */
  hasSet = false;

  constructor(
    store: CodeStore,
    tables: CodeTables,
    operation: { readonly name: string; readonly writes: Readonly<Record<string, number>> },
    old: ReadonlyMap<string, ModelRow> = new Map(),
  ) {
    this.#old = old;
    this.#store = store;
    this.#tables = tables;
    this.#operation = operation.name;
    this.#writes = operation.writes;
  }

  parameter(name: string): number {
    return this.#tables.parameter(name);
  }

  get(table: string, key: readonly ScalarValue[]): Named | null {
    const { nameRow } = this.#tables.named(table);
    const row = this.#rowOf(table, key);
    return row === null ? null : nameRow(row);
  }

  row(table: string, key: readonly ScalarValue[]): Named {
    const found = this.get(table, key);
    if (found === null) throw this.#mistake(`finds no row (${key.join(', ')}) of ${table}`);
    return found;
  }

  rows(
    table: string,
    prefix: readonly ScalarValue[],
    { from, descending = false, limit = Number.MAX_SAFE_INTEGER }: Parameters<Transaction['rows']>[2] = {},
  ): readonly Named[] {
    const { table: found, nameRow } = this.#tables.named(table);
    this.#requirePrefix(found, prefix);
    const range = { from: from === undefined ? [] : [...prefix, from], prefix, descending, limit };
    const isBelow = (key: Row): boolean => prefix.every((value, place) => value === key[place]);
    const changes = [...this.#changes.values()];
    if (changes.some((change) => change.table === found && isBelow(change.key)))
      throw this.#mistake(`reads rows of ${table} that it has changed itself: read them first`);
    if (found.written) this.readsOthers = true;
    return this.#store.range(found.number, range).map(nameRow);
  }

  find(table: string, prefix: readonly ScalarValue[], column: string, value: ScalarValue): readonly Named[] {
    const { table: found, nameRow } = this.#tables.named(table);
    this.#requirePrefix(found, prefix);
    return this.#store.having(found.number, prefix, this.#placeOf(table, column), value).map(nameRow);
  }

  insert(table: string, row: Columns): void {
    const { table: found } = this.#tables.named(table);
    const values = found.columns.map(({ name }): ScalarValue | null => {
      const value = row[name];
      if (value === undefined) throw this.#mistake(`inserts into ${table} without ${name}`);
      return value;
    });
    const key = keyOf(found, values);
    if (this.#rowOf(table, key) !== null)
      throw this.#mistake(`inserts (${key.join(', ')}) into ${table} again`);
    this.#change(table, key, values);
  }

  set(table: string, key: readonly ScalarValue[], columns: Columns): void {
    this.hasSet = true;
    this.#change(table, key, this.#changed(table, key, columns));
  }

  add(table: string, key: readonly ScalarValue[], amounts: Readonly<Record<string, bigint>>): void {
    const before = this.row(table, key);
    const sums = Object.entries(amounts).map(([name, amount]): [string, bigint] => {
      const sum = before.int(name) + amount;
      if (sum < int64Min || sum > int64Max) throw this.#mistake(`adds to ${table}.${name} beyond 64 bits`);
      return [name, sum];
    });
    this.#change(table, key, this.#changed(table, key, Object.fromEntries(sums)));
  }

  remove(table: string, key: readonly ScalarValue[]): void {
    this.row(table, key);
    this.#change(table, key, null);
  }

  decline(reason: string): never {
    throw new Declined(reason);
  }

  /** Every row that it changed, by table and key. */
  *changed(): Generator<{ readonly table: ResolvedTable; readonly key: Row; readonly row: ModelRow | null }> {
    yield* this.#changes.values();
  }

  commit(): void {
    this.#requireFew();
    for (const { table, key, row } of this.#changes.values()) {
      if (row === null) this.#store.remove(table.number, key);
      else this.#store.put(table.number, row);
    }
  }

  #changed(table: string, key: readonly ScalarValue[], columns: Columns): ModelRow {
    const before = this.#rowOf(table, key);
    if (before === null)
      throw this.#mistake(`sets columns of a row (${key.join(', ')}) that ${table} does not have`);
    const after = [...before];
    for (const [name, value] of Object.entries(columns)) after[this.#placeOf(table, name)] = value;
    return after;
  }

  #change(table: string, key: readonly ScalarValue[], row: ModelRow | null): void {
    const { table: found } = this.#tables.named(table);
    if (this.#writes[table] === undefined)
      throw this.#mistake(`writes ${table}; name it, with the most rows, in its \`writes\``);
    this.#changes.set(nameOf(found, key), { table: found, key, row });
  }

  #requireFew(): void {
    const counts = new Map<string, number>();
    for (const { table } of this.#changes.values()) counts.set(table.name, (counts.get(table.name) ?? 0) + 1);
    for (const [table, count] of counts) {
      const most = this.#writes[table] ?? 0;
      if (count > most) throw this.#mistake(`writes ${count} rows of ${table}; its \`writes\` say ${most}`);
    }
  }

  #rowOf(table: string, key: readonly ScalarValue[]): ModelRow | null {
    const { table: found } = this.#tables.named(table);
    const name = nameOf(found, key);
    const own = this.#changes.get(name);
    if (own !== undefined) return own.row;
    const old = this.#old.get(name);
    if (old !== undefined) return old;
    if (found.written) this.readsOthers = true;
    return this.#store.get(found.number, key);
  }

  #placeOf(table: string, column: string): number {
    const place = this.#tables.named(table).places.get(column);
    if (place === undefined) throw this.#mistake(`names a column "${column}" that ${table} does not have`);
    return place;
  }

  #requirePrefix({ name, keyColumns }: ResolvedTable, prefix: readonly ScalarValue[]): void {
    if (prefix.length === keyColumns - 1) return;
    throw this.#mistake(
      `reads rows of ${name} by ${prefix.length} columns of the key: all but the last are needed`,
    );
  }

  #mistake(fact: string): Error {
    return new Error(`operation ${this.#operation} ${fact}`);
  }
}

export function nameOf({ number }: ResolvedTable, key: readonly ScalarValue[]): string {
  return `${number} ${key.join(' ')}`;
}
