import {
  applied,
  type ColumnShape,
  columnsOf,
  declinesOf,
  inDoubt,
  nullValue,
  type OperationOutcome,
  type OperationShape,
  type Row,
  type ScalarValue,
  type TableShape,
  type WorkloadShape,
} from '@fair-bench/contract';
import type { Cell, CellRow } from './dialect.ts';
import { storedValue } from './stored.ts';

/** The meaning of a statement's rows for its operation. */
type ReadRows = (rows: readonly CellRow[]) => OperationOutcome;

/**
 * Reads the result of an operation's statement: a text (null for applied, otherwise the reason) or nothing; or its
 * rows or fields, after a first column `declined` if it has reasons.
 */
export function rowReader(workload: WorkloadShape, operation: OperationShape): ReadRows {
  const { name, reasons, returns } = operation;
  const declines = declinesOf(operation);
  const declineOf = (text: string): OperationOutcome =>
    declines.get(text) ??
    inDoubt(
      'protocol-error',
      `the operation ${name} returned ${text}, which is not one of its reasons (${reasons.join(', ') || 'it has none'}); ` +
        'return null or no row for applied, otherwise a reason',
    );
  if (returns.kind === 'nothing') {
    return (rows) => {
      const text = rows[0]?.[0] ?? null;
      return text === null ? applied : declineOf(String(text));
    };
  }
  // A reply has the key or the int64 itself, however the table stores it.
  const columns = columnsOf(workload, returns).map(({ name: column, type, nullable }): ColumnShape => ({
    name: column,
    type,
    ...(nullable === undefined ? {} : { nullable }),
  }));
  const first = reasons.length > 0 ? 1 : 0;
  return (rows) => {
    const declined = first === 1 ? (rows[0]?.[0] ?? null) : null;
    if (declined !== null) return declineOf(String(declined));
    const read: Row[] = [];
    for (const row of rows) {
      const values = columns.map((column, place) => scalarOf(row[first + place] ?? null, column));
      // A row without values means no row.
      if (values.every((value) => value === null) && returns.kind !== 'fields') continue;
      if (!isRow(values))
        return inDoubt('protocol-error', `the operation ${name} returned ${JSON.stringify(row)}`);
      read.push(values);
    }
    if (returns.kind !== 'fields')
      return { kind: 'applied', reply: { kind: 'rows', rows: read }, retries: 0 };
    const [fields] = read;
    if (fields === undefined) return inDoubt('protocol-error', `the operation ${name} returned no fields`);
    return { kind: 'applied', reply: { kind: 'fields', fields }, retries: 0 };
  };
}

function isRow(values: readonly (ScalarValue | null)[]): values is Row {
  return values.every((value) => value !== null);
}

/** Rows of a table. Throws for a value that is not of its column's type. */
export function rowsOf(rows: readonly CellRow[], { name, columns }: TableShape): Row[] {
  return rows.map((row) =>
    columns.map((column, place) => {
      const value = scalarOf(row[place] ?? null, column);
      if (value === null) throw new Error(`${name}.${column.name} is ${String(row[place] ?? null)}`);
      return value;
    }),
  );
}

/**
 * A cell as its column's type, also from PostgreSQL's text format; null for a value of another type, and for null unless the column
 * may be null.
 */
export function scalarOf(cell: Cell, { type, stored, nullable }: ColumnShape): ScalarValue | null {
  if (cell === null) return nullable === true ? nullValue : null;
  if (stored !== undefined && (typeof cell === 'string' || cell instanceof Uint8Array))
    return storedValue(stored, cell);
  if (type.kind === 'key') return Number(cell);
  if (type.kind === 'int64') return int64Of(cell);
  if (type.kind === 'bool')
    return cell === 't' || cell === 'true' || cell === true || cell === 1 || cell === 1n;
  if (type.kind === 'text') return typeof cell === 'string' ? cell : null;
  if (cell instanceof Uint8Array) return cell;
  return typeof cell === 'string' && cell.startsWith('\\x') ? Buffer.from(cell.slice(2), 'hex') : null;
}

function int64Of(cell: Exclude<Cell, null>): bigint | null {
  if (typeof cell === 'string') return /^-?\d+$/.test(cell) ? BigInt(cell) : null;
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? BigInt(cell) : null;
  return typeof cell === 'bigint' ? cell : null;
}
