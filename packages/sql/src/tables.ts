import {
  type ColumnShape,
  type ControlPlane,
  fitInto,
  type Row,
  type ScalarValue,
  tableAt,
  type TableShape,
} from '@fair-bench/contract';
import type { OpenScoped } from '@fair-bench/supervisor';
import {
  type CellRow,
  type Dialect,
  nameOf,
  namesOf,
  type Parameter,
  parameterOf,
  quoted,
  type SqlConnection,
  columnTypeOf,
} from './dialect.ts';
import { rowsOf } from './replies.ts';
import type { OtherRows } from './setup.ts';
import { storedCell } from './stored.ts';

const pageRows = 20_000;
const rowsPerInsert = 1_000;
/** SQLite accepts 32,766, others 65,535. */
const parametersMax = 30_000;
/** MariaDB accepts 16 MiB, others more. */
const bytesPerInsert = 8 * 2 ** 20;
const keysPerRead = 128;
/** One that was kept, or a new one; it is in no transaction. */
type OpenConnection = OpenScoped<SqlConnection>;

/** Creates the tables again, empty, with their indexes. */
export async function createTables(
  connection: SqlConnection,
  tables: readonly TableShape[],
  dialect: Dialect,
): Promise<void> {
  const { tableOptions = () => '', cascade = '' } = dialect;
  for (const table of tables) {
    const { columns, keyColumns, indexes } = table;
    const name = nameOf(table, dialect);
    const defined = columns.map(
      (column) =>
        `${namesOf([column], dialect)} ${columnTypeOf(column, dialect)} ${column.nullable === true ? 'NULL' : 'NOT NULL'}`,
    );
    const key = namesOf(columns.slice(0, keyColumns), dialect);
    await connection.query(`DROP TABLE IF EXISTS ${name} ${cascade}`, []);
    await connection.query(
      `CREATE TABLE ${name} (${defined.join(', ')}, PRIMARY KEY (${key})) ${tableOptions(table)}`,
      [],
    );
    for (const [number, index] of indexes.entries()) {
      const indexName = quoted([`${table.name}_${number}`], dialect);
      const indexed = index.flatMap((one) => columns.filter((column) => column.name === one));
      await connection.query(`CREATE INDEX ${indexName} ON ${name} (${namesOf(indexed, dialect)})`, []);
    }
  }
}

/**
 * The tables through control connections, one for each action; its system installs a workload's binding.
 * @param own of tables that a file of the user's made, which is never done again; null for those of the description.
 */
export function sqlTables(
  system: string,
  shapes: readonly TableShape[],
  dialect: Dialect,
  open: OpenConnection,
  own: OtherRows | null = null,
): Omit<ControlPlane, 'install'> & Required<Pick<ControlPlane, 'replace'>> {
  let created = shapes;
  const use = async (
    table: number,
    signal: AbortSignal,
    act: (connection: SqlConnection, shape: TableShape) => Promise<unknown>,
  ): Promise<void> => {
    const shape = tableAt(system, shapes, table);
    await using connection = await open(signal);
    await act(connection, shape).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  };
  const clear = async (table: number, signal: AbortSignal): Promise<void> => {
    const { truncate = 'TRUNCATE TABLE' } = dialect;
    await use(
      table,
      signal,
      async (connection, shape) => await connection.query(`${truncate} ${nameOf(shape, dialect)}`, []),
    );
  };
  return {
    async create(tables, signal) {
      if (own === null && !fitInto(tables, created)) {
        await using connection = await open(signal);
        await createTables(connection, tables, dialect);
        created = tables;
        return;
      }
      // The tables from its start stay: an ORM has prepared statements on them, a function their types.
      for (const table of shapes.keys()) await clear(table, signal);
    },
    clear,
    ...(own === null
      ? {}
      : {
          async constrain(signal) {
            await using connection = await open(signal);
            await own.check(connection);
          },
        }),
    load: async (table, pages, signal) =>
      await use(table, signal, async (connection, shape) => await load(connection, shape, dialect, pages)),
    async *scan(table, signal) {
      const shape = tableAt(system, shapes, table);
      await using connection = await open(signal);
      yield* scan(connection, shape, dialect);
    },
    async read(table, keys, signal) {
      const rows: Row[] = [];
      await use(table, signal, async (connection, shape) => {
        rows.push(...(await readRows(connection, shape, dialect, keys)));
      });
      return rows;
    },
    replace: async (table, rows, signal) =>
      await use(
        table,
        signal,
        async (connection, shape) => await replaceRows(connection, shape, dialect, rows),
      ),
  };
}

/** In one transaction: all rows or none, and one commit that waits for the disk. */
async function load(
  connection: SqlConnection,
  table: TableShape,
  dialect: Dialect,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  const step = rowsPerInsertOf(table);
  await connection.query('BEGIN', []);
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += step) {
      const bound = new Bound(dialect);
      const tuples = page
        .slice(from, from + step)
        .map((row) => `(${table.columns.map((column, place) => bound.add(column, row[place])).join(', ')})`);
      const into = `${nameOf(table, dialect)} (${namesOf(table.columns, dialect)})`;
      await bound.run(connection, `INSERT INTO ${into} VALUES ${tuples.join(', ')}`);
    }
  }
  await connection.query('COMMIT', []);
}

/** As many rows as one statement takes: servers bound its parameters and its bytes. */
function rowsPerInsertOf({ columns }: TableShape): number {
  const bytes = columns.reduce((sum, { type }) => sum + ('length' in type ? type.length : 8), 0);
  const most = Math.min(rowsPerInsert, parametersMax / columns.length, bytesPerInsert / bytes);
  return Math.max(1, Math.floor(most));
}

/** One snapshot, page by page in the order of the key. */
async function* scan(
  connection: SqlConnection,
  table: TableShape,
  dialect: Dialect,
): AsyncGenerator<readonly Row[]> {
  const key = table.columns.slice(0, table.keyColumns);
  const order = namesOf(key, dialect);
  const pageAfter = async (last: Row | undefined): Promise<readonly CellRow[]> => {
    const bound = new Bound(dialect);
    const where = last === undefined ? '' : `WHERE ${afterOf(last, key, bound)}`;
    return await bound.run(
      connection,
      `SELECT ${valuesOf(table, dialect)} FROM ${nameOf(table, dialect)} ${where} ORDER BY ${order} LIMIT ${pageRows}`,
    );
  };
  await connection.query(dialect.snapshot ?? 'BEGIN', []);
  let coming = pageAfter(undefined);
  for (;;) {
    const page = rowsOf(await coming, table);
    if (page.length === 0) return;
    const isLast = page.length < pageRows;
    if (!isLast) {
      // The server reads the next page while this one is compared.
      coming = pageAfter(page.at(-1));
      coming.catch(() => undefined);
    }
    yield page;
    if (isLast) return;
  }
}

/** The columns of a table as values of the types that the description has. */
export function valuesOf({ columns }: TableShape, dialect: Dialect): string {
  const { read } = dialect;
  return columns
    .map((column) => {
      const name = namesOf([column], dialect);
      return read === undefined ? name : read(name, columnTypeOf(column, dialect));
    })
    .join(', ');
}

/** The rows whose key comes after another; the first condition is for servers that use an index only for such. */
function afterOf(last: Row, key: TableShape['columns'], bound: Bound): string {
  const condition = (place: number): string => {
    const column = key[place];
    if (column === undefined) return '';
    const beyond = `${bound.name(column)} > ${bound.add(column, last[place])}`;
    if (place === key.length - 1) return beyond;
    const equal = `${bound.name(column)} = ${bound.add(column, last[place])}`;
    return `(${beyond} OR (${equal} AND ${condition(place + 1)}))`;
  };
  const [first] = key;
  if (first === undefined || key.length === 1) return condition(0);
  return `${bound.name(first)} >= ${bound.add(first, last[0])} AND ${condition(0)}`;
}

/** Rows by their keys. */
export async function readRows(
  connection: SqlConnection,
  table: TableShape,
  dialect: Dialect,
  keys: readonly Row[],
): Promise<Row[]> {
  const columns = table.columns.slice(0, table.keyColumns);
  const found: Row[] = [];
  for (let from = 0; from < keys.length; from += keysPerRead) {
    const bound = new Bound(dialect);
    const conditions = keys.slice(from, from + keysPerRead).map((key) => {
      const equal = columns.map(
        (column, place) => `${bound.name(column)} = ${bound.add(column, key[place])}`,
      );
      return `(${equal.join(' AND ')})`;
    });
    const text = `SELECT ${valuesOf(table, dialect)} FROM ${nameOf(table, dialect)} WHERE ${conditions.join(' OR ')}`;
    found.push(...rowsOf(await bound.run(connection, text), table));
  }
  return found;
}

/** Gives rows other values by their keys, in one statement. */
export async function replaceRows(
  connection: SqlConnection,
  table: TableShape,
  dialect: Dialect,
  rows: readonly Row[],
): Promise<void> {
  // A row that is its key has no other values.
  if (table.columns.length === table.keyColumns) return;
  const bound = new Bound(dialect);
  const key = table.columns.slice(0, table.keyColumns);
  const isRow = (row: Row): string =>
    key.map((column, place) => `${bound.name(column)} = ${bound.add(column, row[place])}`).join(' AND ');
  const sets = table.columns.slice(table.keyColumns).map((column, index) => {
    const place = table.keyColumns + index;
    const cases = rows.map((row) => `WHEN ${isRow(row)} THEN ${bound.add(column, row[place])}`);
    return `${bound.name(column)} = CASE ${cases.join(' ')} ELSE ${bound.name(column)} END`;
  });
  const where = rows.map((row) => `(${isRow(row)})`).join(' OR ');
  await bound.run(connection, `UPDATE ${nameOf(table, dialect)} SET ${sets.join(', ')} WHERE ${where}`);
}

/** The parameters of one statement, as they are added to its text. */
class Bound {
  readonly #dialect: Dialect;
  readonly #parameters: Parameter[] = [];

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** The text of a parameter for a column's value. */
  add(column: ColumnShape, value: ScalarValue | undefined): string {
    const { name, type } = column;
    if (value === undefined) throw new Error(`a row has no ${name}`);
    const cell = storedCell(column, value, this.#dialect);
    if (cell === null) return 'NULL';
    this.#parameters.push(parameterOf(cell));
    const { parameter = () => '?' } = this.#dialect;
    const bytesOr = cell instanceof Uint8Array ? 'bytes' : type.kind;
    const kind = typeof cell === 'string' ? 'text' : bytesOr;
    const text = parameter(this.#parameters.length, { kind, isArray: false });
    // A server that is told the types of parameters would take it for a text.
    const isTyped = this.#dialect.parameter !== undefined;
    return kind === type.kind || !isTyped ? text : `CAST(${text} AS ${columnTypeOf(column, this.#dialect)})`;
  }

  name(column: ColumnShape): string {
    return namesOf([column], this.#dialect);
  }

  async run(connection: SqlConnection, text: string): Promise<readonly CellRow[]> {
    return await connection.query(text, this.#parameters);
  }
}
