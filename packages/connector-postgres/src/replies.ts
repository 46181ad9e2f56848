import {
  applied,
  type ColumnShape,
  declinesOf,
  inDoubt,
  type OperationOutcome,
  type OperationShape,
  type Row,
  type ScalarValue,
  type WorkloadShape,
} from '@fair-bench/contract';

/** A row as it arrived, in PostgreSQL's text format. */
export type TextRow = readonly (string | null)[];

/** The meaning of a statement's rows for its operation. */
export type ReadRows<Cell> = (rows: readonly (readonly (Cell | null)[])[]) => OperationOutcome;

/**
 * Reads the result of an operation's statement: a text (null for applied, otherwise the reason) or nothing; or its
 * rows or fields, after a first column `declined` if it has reasons.
 * @param cellOf a cell as its column's type; null for an invalid value.
 */
export function rowReader<Cell>(
  workload: WorkloadShape,
  operation: OperationShape,
  cellOf: (cell: Cell | null, column: ColumnShape) => ScalarValue | null,
): ReadRows<Cell> {
  const { name, reasons, returns } = operation;
  const declines = declinesOf(operation);
  const declineOf = (text: string): OperationOutcome =>
    declines.get(text) ??
    inDoubt('protocol-error', `the operation ${name} returned ${text}, which is not one of its reasons`);
  if (returns.kind === 'nothing') {
    return (rows) => {
      const text = rows[0]?.[0] ?? null;
      return text === null ? applied : declineOf(String(text));
    };
  }
  const columns =
    returns.kind === 'fields' ? returns.fields : (workload.tables[returns.table]?.columns ?? []);
  const first = reasons.length > 0 ? 1 : 0;
  return (rows) => {
    const declined = first === 1 ? (rows[0]?.[0] ?? null) : null;
    if (declined !== null) return declineOf(String(declined));
    const read: Row[] = [];
    for (const row of rows) {
      const values = columns.map((column, place) => cellOf(row[first + place] ?? null, column));
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

/** A value in text format; null for null, and for a value of another type. */
export function scalarOf(text: string | null, { type }: ColumnShape): ScalarValue | null {
  if (text === null) return null;
  if (type.kind === 'key') return Number(text);
  if (type.kind === 'int64') return /^-?\d+$/.test(text) ? BigInt(text) : null;
  if (type.kind === 'bool') return text === 't';
  if (type.kind === 'text') return text;
  return text.startsWith('\\x') ? Buffer.from(text.slice(2), 'hex') : null;
}
