import type { ScalarValue, Values } from '@fair-bench/contract';
import type { BoundOperand, BoundOperation, BoundRow, BoundRule } from './bind.ts';
import { recordsOf } from './bind.ts';
import { equalValues } from './reply-check.ts';
import type { TableState } from './table-state.ts';

/** What a rule was in the states of the trial that are possible: certain either way, or not. */
type Verdict = 'always' | 'never' | 'maybe';

/** The values that an operand can have had: one, a range, or anything. */
type Possible =
  | { readonly kind: 'one'; readonly value: ScalarValue }
  | { readonly kind: 'range'; readonly min: bigint; readonly max: bigint }
  | { readonly kind: 'any' };
const any: Possible = { kind: 'any' };

/**
 * Whether some state of the trial permits that the operation was declined for this reason: a rule of the reason can
 * have applied while no earlier rule of another reason must have. States are bounds: a row's value was never outside
 * initial − all that was taken … initial + all that was added.
 */
export function permitsDecline(
  tables: readonly TableState[],
  { rules }: BoundOperation,
  reason: number,
  values: Values,
): boolean {
  for (const each of rules) {
    const verdict = judge(tables, each.rule, values);
    if (each.reason === reason && verdict !== 'never') return true;
    if (each.reason !== reason && verdict === 'always') return false;
  }
  return false;
}

/** Over a list, a rule holds where it holds for any record. */
function judge(tables: readonly TableState[], rule: BoundRule, values: Values): Verdict {
  const list = 'left' in rule ? (listOf(rule.left) ?? listOf(rule.right)) : rule.row.list;
  const records = recordsOf(values, list);
  let verdict: Verdict = 'never';
  for (let record = 0; record < records; record += 1) {
    const one = judgeRecord(tables, rule, values, record);
    if (one === 'always') return 'always';
    if (one === 'maybe') verdict = 'maybe';
  }
  return verdict;
}

function judgeRecord(
  tables: readonly TableState[],
  rule: BoundRule,
  values: Values,
  record: number,
): Verdict {
  if ('row' in rule) {
    const there = presence(tables, rule.row, values, record);
    if (there === 'maybe') return 'maybe';
    return (rule.kind === 'exists') === (there === 'always') ? 'always' : 'never';
  }
  const left = valuesOf(tables, rule.left, values, record);
  const right = valuesOf(tables, rule.right, values, record);
  if (left.kind === 'any' || right.kind === 'any') return 'maybe';
  if (
    rule.kind === 'equal' &&
    left.kind === 'one' &&
    right.kind === 'one' &&
    !(numeric(left) && numeric(right))
  ) {
    return equalValues(left.value, right.value) ? 'always' : 'never';
  }
  const [leftMin, leftMax] = rangeOf(left);
  const [rightMin, rightMax] = rangeOf(right);
  if (rule.kind === 'less') {
    if (leftMax < rightMin) return 'always';
    return leftMin >= rightMax ? 'never' : 'maybe';
  }
  if (leftMin === leftMax && leftMin === rightMin && leftMin === rightMax) return 'always';
  return leftMax < rightMin || rightMax < leftMin ? 'never' : 'maybe';
}

/** Seeded rows are always there; one that some operation inserted may have been. */
function presence(
  tables: readonly TableState[],
  { table, keys }: BoundRow,
  values: Values,
  record: number,
): Verdict {
  const row = tables[table.number]?.rowAt(keys, values, record) ?? -1;
  if (row === -1) return 'never';
  return row < table.rows ? 'always' : 'maybe';
}

function valuesOf(
  tables: readonly TableState[],
  operand: BoundOperand,
  values: Values,
  record: number,
): Possible {
  if (operand.kind === 'value') return { kind: 'one', value: operand.get(values, record) };
  const { row: bound, column } = operand;
  const state = tables[bound.table.number];
  const row = state?.rowAt(bound.keys, values, record) ?? -1;
  const described = bound.table.columns[column];
  if (state === undefined || row === -1 || described === undefined || described.set) return any;
  const sums = state.sums.get(column);
  if (sums === undefined)
    return row < bound.table.rows ? { kind: 'one', value: state.seededValue(column, row) } : any;
  const initial = state.initial(column, row);
  const [taken, given] = sums.range(row);
  return { kind: 'range', min: initial + taken, max: initial + given };
}

function listOf(operand: BoundOperand): number | null {
  return operand.kind === 'value' ? operand.list : operand.row.list;
}

function numeric({ value }: { value: ScalarValue }): boolean {
  return typeof value !== 'string' && typeof value !== 'object';
}

function rangeOf(possible: Exclude<Possible, { kind: 'any' }>): readonly [bigint, bigint] {
  if (possible.kind === 'range') return [possible.min, possible.max];
  const { value } = possible;
  const number = typeof value === 'bigint' ? value : BigInt(Number(value));
  return [number, number];
}
