import type {
  ArgumentShape,
  ColumnShape,
  OperationShape,
  ReturnShape,
  TableShape,
  WorkloadShape,
} from '@fair-bench/contract';
import type {
  PlannedOperation,
  PlannedWorkload,
  ResolvedArgument,
  ResolvedReturns,
  ResolvedTable,
} from './resolved.ts';

/** A connector's view of a workload. */
export function shapeOf({ name, tables, operations }: PlannedWorkload): WorkloadShape {
  return { name, tables: tables.map(tableShape), operations: operations.map(operationShape) };
}

function tableShape({ name, storedAs, columns, keyColumns, indexes, written }: ResolvedTable): TableShape {
  const named = storedAs === undefined ? {} : { storedAs };
  return { name, ...named, columns: columns.map(storedColumn), keyColumns, indexes, written };
}

function operationShape({
  name,
  arguments: all,
  reasons,
  writes,
  returns,
}: PlannedOperation): OperationShape {
  return { name, arguments: all.map(argumentShape), reasons, returns: returnShape(returns), writes };
}

function argumentShape(argument: ResolvedArgument): ArgumentShape {
  const { name } = argument;
  if (argument.kind === 'scalar') return { kind: 'scalar', name, type: argument.type };
  return { kind: 'list', name, max: argument.max, fields: argument.fields.map(columnShape) };
}

function returnShape(returns: ResolvedReturns): ReturnShape {
  if (returns.kind === 'nothing') return { kind: 'nothing' };
  if ('fields' in returns) return { kind: returns.kind, fields: returns.fields.map(columnShape) };
  return { kind: returns.kind === 'row' ? 'row' : 'rows', table: returns.table };
}

function columnShape({ name, type }: ColumnShape): ColumnShape {
  return { name, type };
}

function storedColumn(column: ColumnShape): ColumnShape {
  return { ...columnShape(column), ...inSql(column) };
}

/** How a system with SQL stores a column, as far as a description says it. */
export function inSql({
  stored,
  nullable,
  storedAs,
}: Partial<Pick<ColumnShape, 'stored' | 'nullable' | 'storedAs'>>): Pick<
  ColumnShape,
  'stored' | 'nullable' | 'storedAs'
> {
  return {
    ...(stored === undefined ? {} : { stored }),
    ...(nullable === undefined ? {} : { nullable }),
    ...(storedAs === undefined ? {} : { storedAs }),
  };
}
