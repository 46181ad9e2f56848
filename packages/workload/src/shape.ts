import type {
  ArgumentShape,
  ColumnShape,
  OperationShape,
  ReturnShape,
  TableShape,
  WorkloadShape,
} from '@fair-bench/contract';
import type { ResolvedArgument, ResolvedOperation, ResolvedTable, Workload } from './resolved.ts';

/** A connector's view of a workload. */
export function shapeOf({ description, tables, operations }: Workload): WorkloadShape {
  return {
    name: description.name,
    tables: tables.map((table, number) => tableShape(table, description.tables[number]?.indexes ?? [])),
    operations: operations.map((operation) => operationShape(operation, tables)),
  };
}

function tableShape(
  { name, columns, keyColumns, written }: ResolvedTable,
  indexes: readonly (readonly string[])[],
): TableShape {
  return { name, columns: columns.map(columnShape), keyColumns, indexes, written };
}

function operationShape(
  { name, arguments: all, reasons, writes, description: { returns } }: ResolvedOperation,
  tables: readonly ResolvedTable[],
): OperationShape {
  return { name, arguments: all.map(argumentShape), reasons, returns: returnShape(returns, tables), writes };
}

function argumentShape(argument: ResolvedArgument): ArgumentShape {
  const { name } = argument;
  if (argument.kind === 'scalar') return { kind: 'scalar', name, type: argument.type };
  return { kind: 'list', name, max: argument.max, fields: argument.fields.map(columnShape) };
}

function returnShape(
  returns: ResolvedOperation['description']['returns'],
  tables: readonly ResolvedTable[],
): ReturnShape {
  if (returns.kind === 'nothing') return { kind: 'nothing' };
  if (returns.kind === 'fields') return { kind: 'fields', fields: returns.fields.map(columnShape) };
  const table = tables.findIndex(({ name }) => name === returns.table);
  return { kind: returns.kind === 'row' ? 'row' : 'rows', table };
}

function columnShape({ name, type }: ColumnShape): ColumnShape {
  return { name, type };
}
