import { z } from 'zod';
import {
  type ColumnShape,
  type ControlPlane,
  messageOf,
  type Row,
  type ScalarValue,
  tableAt,
  type TableShape,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import type { Database } from './database.ts';

const rowsPerCall = 20_000;
/** A page is a scan of the whole table, because a hash index has no ranges: so pages are few and large. */
const rowsPerPage = 1_000_000;
const keysPerQuery = 100;

const countSchema = z.tuple([z.tuple([z.bigint()])]);
const rowsSchema = z.array(z.array(z.union([z.bigint(), z.boolean(), z.string()])));

/** The range of first key columns in a page, from `min` to `max`. */
interface Span {
  readonly min: bigint;
  readonly max: bigint;
}

const spans: Readonly<Record<string, Span>> = {
  key: { min: 0n, max: 2n ** 32n - 1n },
  int64: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
};

/** A module's tables by separate HTTP requests, as the database's owner. */
export function databaseTables(
  database: Database,
  { name: workload, tables: shapes }: WorkloadShape,
): ControlPlane & {
  /** Resolves once everything before it is on disk. */
  settled(signal: AbortSignal): Promise<void>;
} {
  const at = (table: number): Table => new Table(database, tableAt('spacetimedb', shapes, table));
  return {
    // The module declares the tables. A query without rows shows at once whether a table has the columns.
    async create(tables, signal) {
      try {
        for (const shape of tables) {
          const table = new Table(database, shape);
          await table.clear(signal);
          await table.read('', signal);
        }
      } catch (cause) {
        throw new Error(
          `spacetimedb: the module of the workload ${workload} lacks what its description declares: ` +
            `${messageOf(cause)}; change it and build it as native/spacetimedb-module/README.md says`,
          { cause },
        );
      }
    },
    // The module was published before the target became available.
    install: () => Promise.resolve(),
    async load(table, pages, signal) {
      for await (const rows of pages) await at(table).load(rows, signal);
    },
    scan: (table, signal) => at(table).scan(signal),
    read: async (table, keys, signal) => await at(table).find(keys, signal),
    clear: async (table, signal) => await at(table).clear(signal),
    async settled(signal) {
      if (shapes.length > 0) await at(0).count('', signal);
    },
  };
}

class Table {
  readonly #database: Database;
  readonly #shape: TableShape;
  readonly #readers: readonly ((cell: bigint | boolean | string) => ScalarValue)[];
  readonly #key: ColumnShape;

  constructor(database: Database, shape: TableShape) {
    this.#database = database;
    this.#shape = shape;
    this.#readers = shape.columns.map(({ type }) => cellReaders[type.kind]);
    const [key] = shape.columns;
    if (key === undefined) throw new Error(`spacetimedb: the table ${shape.name} has no columns`);
    this.#key = key;
  }

  async clear(signal: AbortSignal): Promise<void> {
    await this.#database.call(clearReducer(this.#shape), '[]', signal);
  }

  async load(rows: readonly Row[], signal: AbortSignal): Promise<void> {
    for (let first = 0; first < rows.length; first += rowsPerCall) {
      const text = rows
        .slice(first, first + rowsPerCall)
        .map(rowText)
        .join(',');
      await this.#database.call(loadReducer(this.#shape), `[[${text}]]`, signal);
    }
  }

  async *scan(signal: AbortSignal): AsyncIterable<readonly Row[]> {
    const { min, max } = spans[this.#key.type.kind] ?? { min: 0n, max: 0n };
    // Seeded keys are dense from 0 on; others are found by bisection.
    const rows = await this.count('', signal);
    const end = min + (max - min) < rows ? max : rows - 1n;
    for (let first = 0n; first <= end; first += BigInt(rowsPerPage)) {
      yield* this.#scanSpan({ min: first, max: first + BigInt(rowsPerPage) - 1n }, signal);
    }
    const dense = BigInt(Math.ceil(Number(rows) / rowsPerPage)) * BigInt(rowsPerPage);
    if (dense <= max) yield* this.#scanSpan({ min: dense, max }, signal);
    if (min < 0n) yield* this.#scanSpan({ min, max: -1n }, signal);
  }

  async *#scanSpan(span: Span, signal: AbortSignal): AsyncIterable<readonly Row[]> {
    const where = `WHERE ${this.#key.name} >= ${span.min} AND ${this.#key.name} <= ${span.max}`;
    const isPage = this.#shape.keyColumns === 1 && span.max - span.min < BigInt(rowsPerPage);
    const rows = isPage ? 1n : await this.count(where, signal);
    if (rows === 0n) return;
    if (isPage || rows <= BigInt(rowsPerPage) || span.min === span.max) {
      yield await this.read(where, signal);
      return;
    }
    const middle = (span.min + span.max) >> 1n;
    yield* this.#scanSpan({ min: span.min, max: middle }, signal);
    yield* this.#scanSpan({ min: middle + 1n, max: span.max }, signal);
  }

  async find(keys: readonly Row[], signal: AbortSignal): Promise<readonly Row[]> {
    const found: Row[] = [];
    for (let first = 0; first < keys.length; first += keysPerQuery) {
      const conditions = keys.slice(first, first + keysPerQuery).map((key) => {
        const columns = this.#shape.columns.slice(0, this.#shape.keyColumns);
        return `(${columns.map(({ name }, place) => `${name} = ${cellText(key[place] ?? 0)}`).join(' AND ')})`;
      });
      found.push(...(await this.read(`WHERE ${conditions.join(' OR ')}`, signal)));
    }
    return found;
  }

  async count(where: string, signal: AbortSignal): Promise<bigint> {
    const sql = `SELECT COUNT(*) AS n FROM ${this.#shape.name} ${where}`;
    return countSchema.parse(await this.#database.query(sql, signal))[0][0];
  }

  async read(where: string, signal: AbortSignal): Promise<Row[]> {
    const { name, columns } = this.#shape;
    const sql = `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name} ${where}`;
    const rows = rowsSchema.parse(await this.#database.query(sql, signal));
    return rows.map((row) =>
      this.#readers.map((reader, place) => {
        const cell = row[place];
        if (cell === undefined) throw new Error(`spacetimedb: a row of ${name} lacks a column`);
        return reader(cell);
      }),
    );
  }
}

/** The reducers that a module has for each table; see native/spacetimedb-module. */
export function loadReducer({ name }: TableShape): string {
  return `load_${name}`;
}

function clearReducer({ name }: TableShape): string {
  return `clear_${name}`;
}

/** As SQL over HTTP gives cells: integers as bigint, bytes in hexadecimal. */
export const cellReaders: Readonly<
  Record<ColumnShape['type']['kind'], (cell: bigint | boolean | string) => ScalarValue>
> = {
  key: Number,
  int64: (cell) => cell,
  bool: (cell) => cell,
  text: (cell) => cell,
  bytes: (cell) => Buffer.from(String(cell).replace(/^0x/, ''), 'hex'),
};

/** A row as the JSON of a reducer's argument. */
function rowText(row: Row): string {
  return `[${row.map(cellText).join(',')}]`;
}

/** An operation's arguments as the JSON of a call. */
export function argumentsText(values: Values): string {
  const texts = values.map((value) => {
    if (typeof value !== 'object' || value instanceof Uint8Array) return cellText(value);
    const records = Array.from({ length: value.length }, (_, record) =>
      rowText(value.fields.map((field) => field[record] ?? 0)),
    );
    return `[${records.join(',')}]`;
  });
  return `[${texts.join(',')}]`;
}

function cellText(value: ScalarValue): string {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? `"${Buffer.from(value).toString('hex')}"` : JSON.stringify(value);
}
