import type { ScalarValue } from '@fair-bench/contract';
import type { BoundOperand, BoundOperation, BoundRow, BoundRule } from './bind.ts';
import { bigOf, listOfRule, recordsOf } from './bind.ts';
import { equalValues } from '../seeded.ts';
import type { Replayed } from './session-replay.ts';
import type { SumsInTime } from './sums-in-time.ts';
import type { TableState } from './table-state.ts';

/** A trial whose effects are all known, and its sums in time where they are. */
interface Known {
  readonly tables: readonly TableState[];
  readonly inTime?: SumsInTime;
}

/** What a rule was in the states of the trial that are possible: certain either way, or not. */
type Verdict = 'always' | 'never' | 'maybe';

/** The possible values of an operand: one, a range, or anything. */
type Possible =
  | { readonly kind: 'one'; readonly value: ScalarValue }
  | { readonly kind: 'range'; readonly min: bigint; readonly max: bigint }
  | { readonly kind: 'any' };
const any: Possible = { kind: 'any' };

/** Whether all states that an operation can have found decline it for its reason, some of them, or none. */
type DeclineVerdict = 'certain' | 'possible' | 'refused';

/**
 * Whether an operation was rightly declined for this reason: a rule of the reason applies, and no earlier rule of
 * another reason does. States are bounds: of a column that is added to, what can have been added and taken while the
 * operation was in flight; of one that is set, all that it was set to.
 */
export function judgeDecline(known: Known, { rules }: BoundOperation, declined: Replayed): DeclineVerdict {
  let [isOther, isPossible] = [false, false];
  for (const each of rules) {
    const verdict = judge(known, each.rule, declined);
    if (each.reason === declined.code) {
      if (verdict === 'always') return isOther ? 'possible' : 'certain';
      isPossible ||= verdict === 'maybe';
    } else {
      if (verdict === 'always') break;
      isOther ||= verdict === 'maybe';
    }
  }
  return isPossible ? 'possible' : 'refused';
}

/** Whether the rule holds in every state of the trial that the operation can have found. */
export function mustHold(trial: Known, rule: BoundRule, replayed: Replayed): boolean {
  return judge(trial, rule, replayed) === 'always';
}

/** Over a list, a rule holds where it holds for any record. */
function judge(trial: Known, rule: BoundRule, declined: Replayed): Verdict {
  const records = recordsOf(declined.values, listOfRule(rule));
  let verdict: Verdict = 'never';
  for (let record = 0; record < records; record += 1) {
    const one = judgeRecord(trial, rule, declined, record);
    if (one === 'always') return 'always';
    if (one === 'maybe') verdict = 'maybe';
  }
  return verdict;
}

function judgeRecord(trial: Known, rule: BoundRule, declined: Replayed, record: number): Verdict {
  if ('row' in rule) {
    const there = presence(trial, rule.row, declined, record);
    if (there === 'maybe') return 'maybe';
    return (rule.kind === 'exists') === (there === 'always') ? 'always' : 'never';
  }
  const compared = [rule.left, rule.right].flatMap((operand) =>
    operand.kind === 'column' ? [operand.row] : [],
  );
  const there = compared.map((row) => presence(trial, row, declined, record));
  // A rule that reads a column of a missing row does not hold.
  if (there.includes('never')) return 'never';
  const [left, right] = [rule.left, rule.right].map((operand) => valuesOf(trial, operand, declined, record));
  const verdict = compare(rule.kind, left ?? any, right ?? any);
  return verdict === 'always' && there.includes('maybe') ? 'maybe' : verdict;
}

function compare(kind: 'equal' | 'less', left: Possible, right: Possible): Verdict {
  if (left.kind === 'any' || right.kind === 'any') return 'maybe';
  if (left.kind === 'one' && right.kind === 'one' && !(numeric(left) && numeric(right))) {
    return equalValues(left.value, right.value) ? 'always' : 'never';
  }
  const [leftMin, leftMax] = rangeOf(left);
  const [rightMin, rightMax] = rangeOf(right);
  if (kind === 'less') {
    if (leftMax < rightMin) return 'always';
    return leftMin >= rightMax ? 'never' : 'maybe';
  }
  if (leftMin === leftMax && leftMin === rightMin && leftMin === rightMax) return 'always';
  return leftMax < rightMin || rightMax < leftMin ? 'never' : 'maybe';
}

/** Seeded rows are there until an operation deletes them; one that was inserted from some time between its sending and its acknowledgement on. */
function presence({ tables }: Known, bound: BoundRow, declined: Replayed, record: number): Verdict {
  const state = tables[bound.table.number];
  // The first row of a table is there where any row certainly was, all the time.
  if (bound.first !== null) return state?.deleted?.anyDuring(declined) === true ? 'always' : 'maybe';
  const row = state?.rowAt(bound.keys, declined.values, record) ?? -1;
  if (state === undefined || row === -1 || state.deleted?.isBefore(row, declined) === true) return 'never';
  const number = row - bound.table.rows;
  const isDeleted = state.deleted?.mayBeBefore(row, declined) === true;
  if (number < 0) return isDeleted ? 'maybe' : 'always';
  const { inserted } = state;
  if (inserted.sentUs(number) > declined.settledUs) return 'never';
  const isKnown = !isDeleted && !inserted.inDoubt(number) && inserted.settledUs(number) < declined.sentUs;
  return isKnown ? 'always' : 'maybe';
}

function valuesOf(
  { tables, inTime }: Known,
  operand: BoundOperand,
  replayed: Replayed,
  record: number,
): Possible {
  const { values } = replayed;
  if (operand.kind === 'value') return { kind: 'one', value: operand.get(values, record) };
  const { row: bound, column } = operand;
  const state = tables[bound.table.number];
  const row = state?.rowAt(bound.keys, values, record) ?? -1;
  if (state === undefined || row === -1) return any;
  const sums = state.sums.get(column);
  if (sums !== undefined) {
    const initial = state.initial(column, row);
    const [taken, given] = inTime?.range(state, column, row, replayed) ?? sums.range(row);
    return { kind: 'range', min: initial + taken, max: initial + given };
  }
  const range = state.ranges.get(column)?.get(row);
  if (range === null) return any;
  if (range !== undefined) return { kind: 'range', min: range[0], max: range[1] };
  return row < bound.table.rows ? { kind: 'one', value: state.seededValue(column, row) } : any;
}

function numeric({ value }: { value: ScalarValue }): boolean {
  return typeof value !== 'string' && typeof value !== 'object';
}

function rangeOf(possible: Exclude<Possible, { kind: 'any' }>): readonly [bigint, bigint] {
  if (possible.kind === 'range') return [possible.min, possible.max];
  const number = bigOf(possible.value);
  return [number, number];
}
