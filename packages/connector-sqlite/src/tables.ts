import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import {
  type ColumnShape,
  type ControlPlane,
  type Row,
  type ScalarValue,
  tableAt,
  type TableShape,
} from '@fair-bench/contract';
import {
  type CellRow,
  type ColumnType,
  createTables as createSqlTables,
  type Dialect,
  nameOf,
  namesOf,
  type Parameter,
  parameterOf,
  readRows,
  type OtherRows,
  otherRowsIn,
  readSetup,
  type SetupDialect,
  setUpTables,
  type SqlConnection,
  sqlTables,
  storedCell,
} from '@fair-bench/sql';

const busyMsMax = 10_000;

const typeNames: Readonly<Record<ColumnType['kind'], string>> = {
  key: 'INTEGER',
  int64: 'INTEGER',
  bool: 'INTEGER',
  text: 'TEXT',
  bytes: 'BLOB',
};

const dialect: Dialect = {
  schema: null,
  truncate: 'DELETE FROM',
  typeOf: ({ kind }) => typeNames[kind],
  // It has no exact decimals and no times.
  storedType: null,
  uuidType: 'BLOB',
  // STRICT: a sum beyond 64 bits is an error; otherwise it would silently become a float. A key of one integer is
  // the rowid.
  tableOptions: ({ keyColumns, columns: [first] }) =>
    keyColumns === 1 && first?.stored === undefined ? 'STRICT' : 'STRICT, WITHOUT ROWID',
};

/** A connection to a database file, as the tables use it. */
function connectionTo(database: DatabaseSync, signal?: AbortSignal): SqlConnection & AsyncDisposable {
  const end = (): Promise<void> => Promise.resolve(database.close());
  return {
    async query(text, parameters) {
      await yieldToEvents(undefined, { signal });
      const statement = database.prepare(text);
      // Integers may be beyond 2⁵³.
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      const rows: unknown[] = statement.all(...parameters.map(inputOf));
      return rows.filter(isCellRow);
    },
    end,
    [Symbol.asyncDispose]: end,
  };
}

const setupDialect: SetupDialect = {
  title: 'SQLite',
  kind: 'sqlite',
  begin: ['BEGIN'],
  end: ['COMMIT'],
  columns: `SELECT made.name, info.name, info."notnull" = 1 AND info.dflt_value IS NULL AND info.hidden = 0
      AND NOT (info.pk = 1 AND upper(info.type) = 'INTEGER'), info.type
    FROM sqlite_schema AS made, pragma_table_xinfo(made.name) AS info
    WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  // A column holds anything, exactly.
  types: null,
  // Only the run's file is open: nothing else may be.
  theirs: {
    refuses: ({ words: [first = ''] }) =>
      ['attach', 'detach', 'vacuum'].includes(first) ? first.toUpperCase() : null,
  },
};

/** Connections of the control plane: a table to which others refer is emptied by itself. */
function open(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: busyMsMax, enableForeignKeyConstraints: false });
}

/** Creates the tables in a database file, empty: the described ones, or those of a file of the user's, with what that has besides. */
export async function createTables(
  path: string,
  tables: readonly TableShape[],
  setup: string | null = null,
): Promise<OtherRows | null> {
  await using connection = connectionTo(open(path));
  await connection.query('PRAGMA journal_mode = WAL', []);
  if (setup === null) {
    await createSqlTables(connection, tables, dialect);
    return null;
  }
  await setUpTables(connection, readSetup(setup, setupDialect), tables, setupDialect, true);
  return await otherRowsIn(connection, tables, setupDialect, dialect);
}

/** The tables through separate connections, one for each action. */
export function sqliteTables(
  path: string,
  shapes: readonly TableShape[],
  own: OtherRows | null = null,
): ControlPlane & Required<Pick<ControlPlane, 'replace'>> {
  const nameAt = (table: number): string => nameOf(tableAt('sqlite', shapes, table), dialect);
  const columnsAt = (table: number): string => namesOf(tableAt('sqlite', shapes, table).columns, dialect);
  return {
    ...sqlTables(
      'sqlite',
      shapes,
      dialect,
      (signal) => Promise.resolve(connectionTo(open(path), signal)),
      own,
    ),
    // A statement for each row, prepared once, is faster than one with the values of many.
    async load(table, pages, signal) {
      const database = open(path);
      try {
        const { columns } = tableAt('sqlite', shapes, table);
        const marks = columns.map(() => '?').join(', ');
        const into = `${nameAt(table)} (${namesOf(columns, dialect)})`;
        const insert = database.prepare(`INSERT INTO ${into} VALUES (${marks})`);
        // The number of a row that was inserted may be beyond 2⁵³.
        insert.setReadBigInts(true);
        database.exec('BEGIN IMMEDIATE');
        for await (const page of pages) {
          signal.throwIfAborted();
          await yieldToEvents();
          for (const row of page) insert.run(...row.map((value, place) => cellOf(columns[place], value)));
        }
        database.exec('COMMIT');
      } finally {
        database.close();
      }
    },
    // The server imports the binding before it listens.
    install: () => Promise.resolve(),
    copies: {
      keep(table, name) {
        withCopies(path, (database) => {
          database.exec(`DROP TABLE IF EXISTS copies."${name}"`);
          database.exec(`CREATE TABLE copies."${name}" AS SELECT ${columnsAt(table)} FROM ${nameAt(table)}`);
        });
        return Promise.resolve();
      },
      refill(table, name) {
        let rows = 0;
        withCopies(path, (database) => {
          const target = nameAt(table);
          database.exec(`BEGIN; DELETE FROM ${target}`);
          rows = Number(
            database
              .prepare(`INSERT INTO ${target} (${columnsAt(table)}) SELECT * FROM copies."${name}"`)
              .run().changes,
          );
          database.exec('COMMIT');
        });
        return Promise.resolve(rows);
      },
    },
  };
}

/** Rows of one table by their keys, through a connection that stays open. */
export function readerOf(
  database: DatabaseSync,
  shapes: readonly TableShape[],
): (table: number, keys: readonly Row[]) => Promise<Row[]> {
  const connection = connectionTo(database);
  return async (table, keys) => await readRows(connection, tableAt('sqlite', shapes, table), dialect, keys);
}

/** A row is an array after `setReturnArrays`, whatever its type says. */
function isCellRow(row: unknown): row is CellRow {
  return Array.isArray(row);
}

function cellOf(column: ColumnShape | undefined, value: ScalarValue): SQLInputValue {
  const cell = column === undefined ? value : storedCell(column, value, dialect);
  return cell === null ? null : inputOf(parameterOf(cell));
}

function inputOf(value: Parameter): SQLInputValue {
  if (typeof value === 'object' && !(value instanceof Uint8Array))
    throw new Error('sqlite: it has no arrays');
  return typeof value === 'boolean' ? Number(value) : value;
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
  const database = open(path);
  try {
    act(database);
  } finally {
    database.close();
  }
}
