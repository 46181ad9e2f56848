import { nothingAt } from '../nothing-at.ts';
import type { Row, Values } from '@fair-bench/contract';
import type { AppliedRule, SumRule } from './applied-rules.ts';
import { bigOf, type BoundEffect, type BoundOperation, type BoundRow, evaluate, recordsOf } from './bind.ts';
import type { Mismatches } from './growing.ts';
import { canBeMissing } from './presence.ts';
import { applied, inDoubt, type Replayed } from './session-replay.ts';
import { refusedStep, type Step } from './step-order.ts';
import type { TableState } from './table-state.ts';
import { sumOf, type Trial } from './trial.ts';

/** From which first and last value on every order that raises before it lowers permits all steps on a column. */
interface Enough {
  readonly column: number;
  readonly sign: 1n | -1n;
  initial: bigint | null;
  final: bigint | null;
}

interface NamedStep extends Step {
  readonly name: string;
}

/** A row's column of which all operations are collected. */
interface Suspect {
  readonly state: TableState;
  readonly row: number;
  readonly column: number;
  final: bigint | null;
  /** As rules that demand at least a value see it, and, with all signs changed, as those that demand at most one. */
  readonly least: NamedStep[];
  readonly most: NamedStep[];
}

/** What one operation does to a suspect, and what its rules demand of it. */
interface Touch {
  delta: bigint;
  least: bigint | null;
  most: bigint | null;
  reason: number;
}

/**
 * Applied operations with rules on columns that are only added to. The first and the last value show of nearly every
 * row that its operations were permitted; the operations of the other rows are collected in a replay of their own.
 */
export class PermittedSums {
  readonly #trial: Trial;
  readonly #refused: Mismatches;
  /** By operation. */
  readonly #rules: readonly (readonly SumRule[])[];
  readonly #enough = new Map<SumRule, Enough>();
  /** By table. */
  readonly #watched: readonly Enough[][];
  readonly #suspects = new Map<number, Suspect>();

  constructor(trial: Trial, rules: readonly (readonly AppliedRule[])[], refused: Mismatches) {
    this.#trial = trial;
    this.#refused = refused;
    this.#rules = rules.map((all) => all.filter((each) => each.kind === 'sum'));
    this.#watched = trial.tables.map(() => []);
    for (const rule of this.#rules.flat()) {
      const watched = this.#watched[rule.row.table.number] ?? nothingAt(rule.row.table.number);
      const sign = rule.side === 'least' ? 1n : -1n;
      const known = watched.find((each) => each.column === rule.column && each.sign === sign);
      const enough = known ?? { column: rule.column, sign, initial: null, final: null };
      if (known === undefined) watched.push(enough);
      this.#enough.set(rule, enough);
      if (!takesItsBound(rule)) continue;
      // It leaves at least 0, or adds to what is at least a number below 0.
      enough.initial = greatest(enough.initial, 0n);
      enough.final = greatest(enough.final, 0n);
    }
  }

  /** Takes an applied operation. */
  note({ values }: Replayed, rule: SumRule, { effects }: BoundOperation): void {
    const enough = this.#enough.get(rule);
    if (enough === undefined) return;
    const { row, others, own, isLoose } = rule;
    if (!isLoose && others.some((other) => isSameRow(row, other, values))) {
      this.#suspect(this.#sumAt(rule.row, rule.column, values, 0));
    }
    if (takesItsBound(rule)) return;
    for (let record = 0; record < recordsOf(values, rule.list); record += 1) {
      if (isLoose) this.#suspect(this.#sumAt(rule.row, rule.column, values, record));
      let delta = 0n;
      for (const place of own) {
        const effect = effects[place];
        if (effect?.kind === 'add') delta += amountOf(effect, values, record) * enough.sign;
      }
      const bound = bigOf(rule.bound(values, record)) * enough.sign;
      if (delta < 0n) enough.final = greatest(enough.final, bound + delta);
      else enough.initial = greatest(enough.initial, bound);
    }
  }

  /** Takes the last values of a row. */
  last(state: TableState, number: number, row: Row): void {
    for (const { column, sign, initial, final } of this.#watched[state.followed.table.number] ??
      nothingAt(state.followed.table.number)) {
      const value = bigOf(row[column] ?? nothingAt(column));
      const isLow =
        (final !== null && value * sign < final) ||
        (initial !== null && state.initial(column, number) * sign < initial);
      const sum = sumOf(state, column, number);
      if (isLow) this.#suspect({ sum, state, row: number, column });
      const suspect = this.#suspects.get(sum);
      if (suspect !== undefined) suspect.final = value;
    }
  }

  /** Once all rows were taken. */
  judge(): void {
    if (this.#suspects.size === 0) return;
    this.#trial.each((replayed, bound) => {
      if (replayed.status === applied || replayed.status === inDoubt) this.#collect(replayed, bound);
    });
    for (const suspect of this.#suspects.values()) {
      this.#judge(suspect, 1n);
      this.#judge(suspect, -1n);
    }
  }

  #judge({ state, row, column, final, least, most }: Suspect, sign: 1n | -1n): void {
    if (final === null) return;
    const steps = sign === 1n ? least : most;
    const refused = refusedStep(steps, state.initial(column, row) * sign, final * sign);
    if (refused === null) return;
    const [bound, best] = [(refused.step.least ?? 0n) * sign, refused.most * sign];
    const [needs, gives] = sign === 1n ? ['at least', 'more'] : ['at most', 'less'];
    this.#refused.add(
      () =>
        `${state.describe(row, column)}, which ended at ${final}: ${refused.step.name} needs ${needs} ${bound}, and no order gives it ${gives} than ${best}`,
    );
  }

  /** Adds what an operation does to suspects, and demands of them. */
  #collect(replayed: Replayed, bound: BoundOperation): void {
    const { values, status, session, sequence } = replayed;
    const touches = new Map<Suspect, Touch>();
    const touched = (row: BoundRow, column: number, record: number): Touch | null => {
      const suspect = this.#suspects.get(this.#sumAt(row, column, values, record)?.sum ?? -1);
      if (suspect === undefined) return null;
      const touch = touches.get(suspect) ?? { delta: 0n, least: null, most: null, reason: 0 };
      touches.set(suspect, touch);
      return touch;
    };
    for (const effect of bound.effects) {
      if (effect.kind !== 'add') continue;
      for (let record = 0; record < recordsOf(values, effect.list); record += 1) {
        const touch = touched(effect.row, effect.column, record);
        if (touch !== null) touch.delta += amountOf(effect, values, record);
      }
    }
    for (const rule of this.#rules[replayed.operation] ?? nothingAt(replayed.operation)) {
      for (let record = 0; record < recordsOf(values, rule.list); record += 1) {
        const touch = touched(rule.row, rule.column, record);
        if (touch !== null) demand(touch, rule, bigOf(rule.bound(values, record)));
      }
    }
    for (const [suspect, { delta, least, most, reason }] of touches) {
      // Before its insert, a row has no value that a rule could compare.
      const isFree = delta === 0n && canBeMissing(suspect.state, suspect.row, replayed);
      const name = `operation ${sequence} of session ${session} (${bound.operation.name}, ${bound.operation.reasons[reason]})`;
      const step = { name, doubt: status === inDoubt };
      suspect.least.push({ ...step, least: isFree ? null : least, delta });
      suspect.most.push({ ...step, least: isFree || most === null ? null : -most, delta: -delta });
    }
  }

  #suspect(sum: (Omit<Suspect, 'final' | 'least' | 'most'> & { readonly sum: number }) | null): void {
    if (sum === null || this.#suspects.has(sum.sum)) return;
    const { state, row, column } = sum;
    this.#suspects.set(sum.sum, { state, row, column, final: null, least: [], most: [] });
  }

  /** The row's column that a record names; null where no row has the key. */
  #sumAt(
    { table, keys }: BoundRow,
    column: number,
    values: Values,
    record: number,
  ): { sum: number; state: TableState; row: number; column: number } | null {
    const state = this.#trial.tables[table.number];
    const row = state?.rowAt(keys, values, record) ?? -1;
    if (state === undefined || row === -1 || !state.sums.has(column)) return null;
    return { sum: sumOf(state, column, row), state, row, column };
  }
}

/** Whether the last value of a row says all of an operation with this rule. */
export function takesItsBound({ takesBound, isLoose }: SumRule): boolean {
  return takesBound && !isLoose;
}

function demand(touch: Touch, { side, reason }: SumRule, bound: bigint): void {
  touch.reason = reason;
  if (side === 'least') touch.least = greatest(touch.least, bound);
  else touch.most = touch.most === null || bound < touch.most ? bound : touch.most;
}

function greatest(known: bigint | null, value: bigint): bigint {
  return known === null || value > known ? value : known;
}

function amountOf(
  { amount, negative }: Extract<BoundEffect, { kind: 'add' }>,
  values: Values,
  record: number,
): bigint {
  const added = bigOf(amount(values, record));
  return negative ? -added : added;
}

/** Of rows that are one each: whether their keys are the same. */
function isSameRow(a: BoundRow, b: BoundRow, values: Values): boolean {
  if (a.keys.length === 1) return a.keys[0]?.(values, 0) === b.keys[0]?.(values, 0);
  const other = evaluate(b.keys, values);
  return evaluate(a.keys, values).every((key, place) => key === other[place]);
}
