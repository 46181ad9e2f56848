import { bindOperations, type NamedRow, type Result } from '@fair-bench/rpc/binding';
import type { Cell, CellRow, SqlConnection } from '../dialect.ts';

/** One connection, as a binding uses it: one statement after the other. */
type Sql = Pick<SqlConnection, 'query'>;

/**
 * A workload's operations over an embedded engine with SQL: the default export of `<system>.ts`. `bind` is called once per
 * connection. Integers are read as the engine returns them; errors become faults by the system's rules.
 */
export const bindSql = bindOperations<Sql>;

/** An operation of several statements as one transaction; a decline and an error roll it back. */
export function atomic<Arguments extends object>(
  { query }: Sql,
  operation: (values: Arguments) => Promise<Result>,
): (values: Arguments) => Promise<Result> {
  return async (values) => {
    await query('BEGIN', []);
    let result: Result;
    try {
      result = await operation(values);
    } catch (error) {
      // The error that ended the operation says more than one of the rollback.
      await query('ROLLBACK', []).catch(() => undefined);
      throw error;
    }
    await query(result !== null && 'declined' in result ? 'ROLLBACK' : 'COMMIT', []);
    return result;
  };
}

/** A cell of an integer column. */
export function int64(cell: Cell | undefined): bigint {
  if (cell === null || cell === undefined || cell instanceof Uint8Array) {
    throw new TypeError(`${String(cell)} is not an integer`);
  }
  return BigInt(cell);
}

/** Rows by the names of their columns, which the statement selects in this order. */
export function named(rows: readonly CellRow[], ...columns: readonly string[]): NamedRow[] {
  return rows.map((row) =>
    Object.fromEntries(
      columns.map((column, place) => {
        const cell = row[place] ?? null;
        if (cell === null) throw new TypeError(`the column ${column} is null`);
        return [column, cell];
      }),
    ),
  );
}
