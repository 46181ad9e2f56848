import type { DatabaseSync } from 'node:sqlite';
import { bindOperations, type NamedRow, type OperationFunction } from '@fair-bench/rpc/binding';
import { customType } from 'drizzle-orm/sqlite-core';

import type { NodeSqliteDatabase } from './drizzle-node-sqlite.ts';

export { drizzleNodeSqlite, type NodeSqliteDatabase } from './drizzle-node-sqlite.ts';

/**
 * A workload's operations over SQLite: the default export of `sqlite-<orm>.ts`. `bind` is called once per connection;
 * integers must be read as bigints. Its errors become faults by SQLite's error code.
 */
export const bindSqlite = bindOperations<DatabaseSync>;

/** An operation as one transaction. It takes the write lock first, because upgrading a read lock later can fail. */
export function atomic<Arguments, Result>(
  db: NodeSqliteDatabase,
  operation: (values: Arguments) => Result,
): (values: Arguments) => Result {
  return (values) => db.transaction(() => operation(values), { behavior: 'immediate' });
}

/** An operation of one prepared statement, which returns nothing. */
export function applies(statement: { run(values: Record<string, unknown>): unknown }): OperationFunction {
  return (values) => {
    statement.run({ ...values });
    return null;
  };
}

/** An operation of one prepared statement, which returns its rows. */
export function returnsRows(statement: {
  all(values: Record<string, unknown>): readonly NamedRow[];
}): OperationFunction {
  return (values) => ({ rows: statement.all({ ...values }) });
}

const int64Type = customType<{ data: bigint; driverData: bigint }>({ dataType: () => 'integer' });

/** A column of 64-bit integers as bigints, with its key as default name: Drizzle's own is a number and ends at 2⁵³. */
export const int64 = (name = '') => int64Type(name).notNull();
