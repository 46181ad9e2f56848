import type { JsonObject } from '@fair-bench/contract';
import {
  bindOperations,
  type BoundEffect,
  type BoundOperand,
  type BoundOperation,
  type BoundRow,
  type BoundRule,
  type BoundValue,
  lackOfCode,
  listOfRule,
  type Workload,
} from '@fair-bench/workload/execution';

/**
 * A workload's operations as steps, as `native/engines/src/program.rs` reads them: every name is resolved, and values are named
 * by their places in the arguments. Throws for an operation that returns what only a binding of its own could compute.
 */
export function stepsOf(workload: Workload): JsonObject {
  const lack = lackOfCode(workload.description);
  if (lack !== null) throw new Error(lack);
  return {
    tables: workload.tables.map(({ keyColumns, columns }) => ({
      keyColumns,
      columns: columns.map(({ type }) => ({ type })),
    })),
    operations: bindOperations(workload).map((bound) => operationOf(bound, workload.description.name)),
  };
}

function operationOf(
  { operation, rules, effects, returns, found }: BoundOperation,
  name: string,
): JsonObject {
  const columns = found.flatMap((field) => (field === null ? [] : [placeOf(field)]));
  if (returns.kind === 'chosen-rows' || columns.length < found.length) {
    throw new Error(
      `the operation ${operation.name} of ${name} returns what its description leaves to the server`,
    );
  }
  return {
    rules: rules.map(({ reason, rule }) => ({ reason, list: listOfRule(rule), holds: conditionOf(rule) })),
    effects: effects.map((effect) => {
      if (effect.kind === 'delete') {
        throw new Error(
          `the operation ${operation.name} of ${name} deletes rows, for which these engines have no step`,
        );
      }
      return { list: effect.list, change: changeOf(effect) };
    }),
    found: columns,
  };
}

function conditionOf(rule: BoundRule): JsonObject {
  if ('row' in rule) return { kind: rule.kind, row: rowOf(rule.row) };
  return { kind: rule.kind, left: operandOf(rule.left), right: operandOf(rule.right) };
}

function changeOf(effect: Exclude<BoundEffect, { kind: 'delete' }>): JsonObject {
  if (effect.kind === 'insert') {
    const columns = effect.columns.map((column) => (column.kind === 'value' ? sourceOf(column.get) : null));
    return { kind: 'insert', table: effect.table.number, columns, ifMissing: effect.ifMissing };
  }
  const row = rowOf(effect.row);
  if (effect.kind === 'add') {
    const { column, amount, negative } = effect;
    return { kind: 'add', row, column, amount: sourceOf(amount), negative };
  }
  const { chosen } = effect;
  const column =
    chosen === null ? effect.column([]) : { argument: chosen.argument, columns: [...chosen.columns] };
  return { kind: 'set', row, column, to: sourceOf(effect.to) };
}

function operandOf(operand: BoundOperand): JsonObject {
  return operand.kind === 'value' ? { value: sourceOf(operand.get) } : placeOf(operand);
}

function placeOf({ row, column }: { readonly row: BoundRow; readonly column: number }): JsonObject {
  return { row: rowOf(row), column };
}

function rowOf({ table, keys }: BoundRow): JsonObject {
  return { table: table.number, keys: keys.map(sourceOf) };
}

function sourceOf({ source }: BoundValue): JsonObject {
  if (source.kind !== 'constant') return { ...source };
  const { value } = source;
  if (value instanceof Uint8Array) throw new Error('a constant of bytes is in no description');
  return { kind: 'constant', value: typeof value === 'bigint' ? String(value) : value };
}
