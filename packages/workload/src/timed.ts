import { ruledColumns, ruledTables, writesOf } from './checker.ts';
import type { ResolvedOperation } from './resolved.ts';
import type { Operation } from './schema.ts';

/** When the times of an operation's outcomes are logged. `isDrawn`: whether an operation has a weight above 0. */
export function timedOf(
  operation: Operation,
  operations: readonly Operation[],
  isDrawn: (operation: Operation) => boolean,
): ResolvedOperation['timed'] {
  if (operation.code !== undefined || isTimed(operation, operations, isDrawn)) return 'always';
  return countsForDeclines(operation, operations) ? 'while-room' : 'never';
}

/** Whether it matters when it happened: it sets a column, or it reads or declines by what others write. */
function isTimed(
  operation: Operation,
  operations: readonly Operation[],
  isDrawn: (operation: Operation) => boolean,
): boolean {
  const writes = operations.flatMap(writesOf);
  const isInserted = (name: string): boolean =>
    writes.some(({ kind, table }) => kind === 'insert' && table === name);
  const isSeen = (name: string): boolean =>
    operations.some((each) => returnedTable(each) === name && isDrawn(each)) ||
    writes.some(({ kind, table, columns }) => kind === 'set' && table === name && columns.length > 0) ||
    operations.flatMap(ruledTables).includes(name);
  return (
    findsColumns(operation) ||
    writes.some(({ table }) => table === returnedTable(operation)) ||
    ruledTables(operation).some(isInserted) ||
    writesOf(operation).some(({ kind, table }) => kind === 'set' || (kind === 'insert' && isSeen(table)))
  );
}

/**
 * Whether it adds to a number by which operations are declined, or is declined by one: without its times declines are
 * judged by the bounds of the whole trial.
 */
function countsForDeclines(operation: Operation, operations: readonly Operation[]): boolean {
  const added = operations.flatMap(writesOf).filter(({ kind }) => kind === 'add');
  const isAdded = (column: string): boolean =>
    added.some(({ table, columns: [name] }) => `${table}.${name}` === column);
  const ruled = new Set(operations.flatMap(ruledColumns).filter(isAdded));
  const adds = writesOf(operation).some(
    ({ kind, table, columns: [name] }) => kind === 'add' && ruled.has(`${table}.${name}`),
  );
  return adds || ruledColumns(operation).some((column) => ruled.has(column));
}

function findsColumns({ returns }: Operation): boolean {
  return returns.kind === 'fields' && returns.fields.some(({ of }) => of !== undefined);
}

function returnedTable({ returns }: Operation): string | null {
  return 'table' in returns ? returns.table : null;
}
