import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import type { ColumnShape, ControlPlane, Row, ScalarValue, TableShape } from '@fair-bench/contract';

const busyMsMax = 10_000;
const rowsPerPage = 50_000;

const typeNames: Readonly<Record<ColumnShape['type']['kind'], string>> = {
  key: 'INTEGER',
  int64: 'INTEGER',
  bool: 'INTEGER',
  text: 'TEXT',
  bytes: 'BLOB',
};

/** Creates the tables in a database file, empty; a table of that name is replaced. */
export function createTables(path: string, tables: readonly TableShape[]): void {
  withDatabase(path, (database) => {
    database.exec('PRAGMA journal_mode = WAL');
    for (const table of tables) database.exec(createSql(table));
  });
}

/** STRICT: a sum beyond 64 bits is an error; otherwise it would silently become a float. */
function createSql({ name, columns, keyColumns, indexes }: TableShape): string {
  const key = columns.slice(0, keyColumns).map((column) => column.name);
  // A key of one integer is the rowid.
  const defined = columns.map(
    (column, place) =>
      `"${column.name}" ${typeNames[column.type.kind]} NOT NULL${place === 0 && keyColumns === 1 ? ' PRIMARY KEY' : ''}`,
  );
  const primary = keyColumns === 1 ? [] : [`PRIMARY KEY (${quoted(key)})`];
  const options = keyColumns === 1 ? 'STRICT' : 'STRICT, WITHOUT ROWID';
  return [
    `DROP TABLE IF EXISTS "${name}"`,
    `CREATE TABLE "${name}" (${[...defined, ...primary].join(', ')}) ${options}`,
    ...indexes.map((index, number) => `CREATE INDEX "${name}_${number}" ON "${name}" (${quoted(index)})`),
  ].join(';');
}

/** The tables through separate connections, one for each action. */
export function sqliteTables(path: string, shapes: readonly TableShape[]): ControlPlane {
  const shapeOf = (table: number): TableShape => {
    const shape = shapes[table];
    if (shape === undefined) throw new Error(`sqlite: the workload has no table ${table}`);
    return shape;
  };
  return {
    create: (tables) => Promise.resolve(createTables(path, tables)),
    // The server imports the binding before it listens.
    install: () => Promise.resolve(),
    clear(table) {
      withDatabase(path, (database) => database.exec(`DELETE FROM "${shapeOf(table).name}"`));
      return Promise.resolve();
    },
    async load(table, pages, signal) {
      const { name, columns } = shapeOf(table);
      const database = new DatabaseSync(path, { timeout: busyMsMax });
      try {
        const insert = database.prepare(
          `INSERT INTO "${name}" VALUES (${columns.map(() => '?').join(', ')})`,
        );
        // It returns the last row's number, which may be beyond 2⁵³.
        insert.setReadBigInts(true);
        // One commit, because each waits for the disk.
        database.exec('BEGIN');
        for await (const page of pages) {
          for (const row of page) insert.run(...row.map(inputOf));
          await yieldToEvents(undefined, { signal });
        }
        database.exec('COMMIT');
      } finally {
        database.close();
      }
    },
    copies: {
      keep(table, name) {
        withCopies(path, (database) => {
          database.exec(`DROP TABLE IF EXISTS copies."${name}"`);
          database.exec(`CREATE TABLE copies."${name}" AS SELECT * FROM "${shapeOf(table).name}"`);
        });
        return Promise.resolve();
      },
      refill(table, name) {
        let rows = 0;
        withCopies(path, (database) => {
          const target = `"${shapeOf(table).name}"`;
          database.exec(`BEGIN; DELETE FROM ${target}`);
          rows = Number(
            database.prepare(`INSERT INTO ${target} SELECT * FROM copies."${name}"`).run().changes,
          );
          database.exec('COMMIT');
        });
        return Promise.resolve(rows);
      },
    },
    async *scan(table, signal) {
      const database = new DatabaseSync(path, { readOnly: true, timeout: busyMsMax });
      try {
        yield* readPages(database, shapeOf(table), signal);
      } finally {
        database.close();
      }
    },
    read(table, keys) {
      const rows: Row[] = [];
      withDatabase(path, (database) => rows.push(...readerOf(database, shapeOf(table))(keys)));
      return Promise.resolve(rows);
    },
  };
}

/** Reads rows of a table by their keys. */
export function readerOf(
  database: DatabaseSync,
  { name, columns, keyColumns }: TableShape,
): (keys: readonly Row[]) => Row[] {
  const key = columns.slice(0, keyColumns).map((column) => `"${column.name}" = ?`);
  const select = database.prepare(`SELECT * FROM "${name}" WHERE ${key.join(' AND ')}`);
  select.setReadBigInts(true);
  select.setReturnArrays(true);
  return (keys) => keys.flatMap((one) => select.all(...one.map(inputOf)).map((row) => rowOf(row, columns)));
}

/** One statement, so one snapshot, in the order of the key. */
async function* readPages(
  database: DatabaseSync,
  { name, columns }: TableShape,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const select = database.prepare(`SELECT * FROM "${name}"`);
  select.setReadBigInts(true);
  select.setReturnArrays(true);
  let page: Row[] = [];
  for (const row of select.iterate()) {
    page.push(rowOf(row, columns));
    if (page.length < rowsPerPage) continue;
    yield page;
    page = [];
    await yieldToEvents(undefined, { signal });
  }
  if (page.length > 0) yield page;
}

/** A row as an array, the result of `setReturnArrays`, whatever its type says. */
function rowOf(row: unknown, columns: readonly ColumnShape[]): Row {
  const values: readonly SQLOutputValue[] = Array.isArray(row) ? row : [];
  return columns.map(({ name, type }, place) => scalarOf(values[place] ?? null, type.kind, name));
}

function scalarOf(value: SQLOutputValue, kind: ColumnShape['type']['kind'], name: string): ScalarValue {
  if (typeof value === 'bigint') {
    if (kind === 'int64') return value;
    return kind === 'bool' ? value !== 0n : Number(value);
  }
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new Error(`sqlite: the column ${name} is ${String(value)}`);
}

function inputOf(value: ScalarValue): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : value;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** Moves the whole log into the database file, so that no trial pays for the writes before it. */
export function settle(path: string): void {
  withDatabase(path, (database) => {
    const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (row?.['busy'] !== 0) {
      throw new Error(`sqlite: the log of ${path} is in use and was not checkpointed; end whatever reads it`);
    }
  });
}

/** Copies are in a separate file, so that they do not change the database's size. */
function withCopies(path: string, act: (database: DatabaseSync) => void): void {
  withDatabase(path, (database) => {
    database.prepare('ATTACH ? AS copies').run(`${path}-copies`);
    act(database);
  });
}

function withDatabase(path: string, act: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path, { timeout: busyMsMax });
  try {
    act(database);
  } finally {
    database.close();
  }
}
