import {
  type ColumnShape,
  ourSchema,
  type ScalarValue,
  type Stored,
  type TableShape,
} from '@fair-bench/contract';

/** A value in a row, as a driver returns it. */
export type Cell = ScalarValue | null;

/** A row as a driver returns it: cells in the order of the statement's columns. */
export type CellRow = readonly Cell[];

/** The rows of a driver that gives them as arrays. Throws a TypeError for a cell of another type. */
export function cellRows(rows: unknown): readonly CellRow[] {
  return Array.isArray(rows) ? rows.map((row) => (Array.isArray(row) ? row.map(cellOf) : [])) : [];
}

function cellOf(value: unknown): Cell {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  throw new TypeError(`a cell of the type ${typeof value} was not expected`);
}

/** A parameter of a statement; a list's field is an array where the dialect says so. */
export type Parameter = ScalarValue | readonly ScalarValue[];

/** One connection by a system's driver. */
export interface SqlConnection {
  /**
   * Runs one statement; resolves with its rows, if any. Without parameters it need not be prepared: some servers do
   * not prepare every statement. Rejects with the driver's error.
   */
  query(text: string, parameters: readonly Parameter[]): Promise<readonly CellRow[]>;
  /** Ends it without waiting for replies; no handle is left then. */
  end(): Promise<void> | void;
}

export type ColumnType = ColumnShape['type'];

/** A parameter's type: of a scalar argument, or of one field of a list. */
export interface ParameterType {
  readonly kind: ColumnType['kind'];
  readonly isArray: boolean;
}

/** How a system's SQL differs from the standard's, which is the default. */
export interface Dialect {
  /** Null for a system without schemas; the run's schema otherwise. */
  readonly schema?: null;
  /** A query whose rows are the statements that drop all of a schema's objects, in an order that works: our marks last, in the reverse order of their names. None for an empty schema. */
  readonly dropsIn?: (schema: string) => string;
  /** A query that has a row where the user may create a schema; absent where no server says it. */
  readonly mayCreateSchema?: string;
  /** The same for what is created in a schema. */
  readonly mayFillSchema?: (schema: string) => string;
  /** What DROP needs to drop what depends on it too. */
  readonly cascade?: string;
  /** Removes every row of a table; `TRUNCATE TABLE` by default. */
  readonly truncate?: string;
  /** An identifier; `"name"` by default. */
  readonly quote?: (name: string) => string;
  /** A parameter by its number from 1; `?` by default. */
  readonly parameter?: (number: number, type: ParameterType) => string;
  /** A column's type; by default `bigint`, `boolean`, `varchar(n)` and `varbinary(n)`. */
  readonly typeOf?: (type: ColumnType) => string;
  /** How a decimal or a time is stored; `numeric(p, s)` and `timestamp` by default, null for a system that keeps the integer. */
  readonly storedType?: ((stored: Exclude<Stored, { readonly kind: 'uuid' }>) => string) | null;
  /** A type of 16 bytes for UUIDs; by default it has `uuid`, which takes texts. */
  readonly uuidType?: string;
  /** A column as a value of that type, which a column of the user's own tables need not have; the column itself by default. */
  readonly read?: (column: string, type: string) => string;
  /** What follows the columns of CREATE TABLE. */
  readonly tableOptions?: (table: TableShape) => string;
  /** Begins a transaction in which all statements read one snapshot; `BEGIN` by default. */
  readonly snapshot?: string;
  /** A list argument: an array for each field, or one JSON array of objects, the default. */
  readonly lists?: 'arrays';
}

/** A value as drivers take it: bytes as a Buffer. Throws a RangeError for an integer beyond 64 bits. */
export function parameterOf(value: ScalarValue): ScalarValue {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) {
    throw new RangeError(`${value} does not fit into 64 bits`);
  }
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/** A column's type in standard SQL. */
export function standardType(type: ColumnType): string {
  if (type.kind === 'text') return `varchar(${type.length})`;
  if (type.kind === 'bytes') return `varbinary(${type.length})`;
  return type.kind === 'bool' ? 'boolean' : 'bigint';
}

/** A decimal or a time in standard SQL. */
export function standardStored(stored: Exclude<Stored, { readonly kind: 'uuid' }>): string {
  return stored.kind === 'decimal' ? `numeric(${stored.precision}, ${stored.scale})` : 'timestamp';
}

/** The type of a table's column. */
export function columnTypeOf({ type, stored }: ColumnShape, dialect: Dialect): string {
  const { typeOf = standardType, storedType = standardStored, uuidType = 'uuid' } = dialect;
  if (stored?.kind === 'uuid') return uuidType;
  return stored === undefined || storedType === null ? typeOf(type) : storedType(stored);
}

/** Names quoted, by commas. */
export function quoted(names: readonly string[], { quote = doubleQuoted }: Dialect): string {
  return names.map(quote).join(', ');
}

/** A table under its name in the database, with its schema. */
export function nameOf(
  { name, storedAs = name }: Pick<TableShape, 'name' | 'storedAs'>,
  dialect: Dialect,
): string {
  return `${dialect.schema === null ? '' : `${ourSchema()}.`}${quoted([storedAs], dialect)}`;
}

/** Columns under their names in the database, by commas. */
export function namesOf(
  columns: readonly Pick<ColumnShape, 'name' | 'storedAs'>[],
  dialect: Dialect,
): string {
  return quoted(
    columns.map(({ name, storedAs = name }) => storedAs),
    dialect,
  );
}

function doubleQuoted(name: string): string {
  return `"${name}"`;
}
