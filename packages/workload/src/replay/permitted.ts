import { nothingAt } from '../nothing-at.ts';
import type { Row, ScalarValue } from '@fair-bench/contract';
import { type AppliedRule, appliedRules, type Comparison, type Presence } from './applied-rules.ts';
import { type BoundOperation, evaluate, recordsOf } from './bind.ts';
import { mustHold } from './declines.ts';
import { Mismatches } from './growing.ts';
import { PermittedSums, takesItsBound } from './permitted-sums.ts';
import { PermittedValues } from './permitted-values.ts';
import { canBeMissing, canBeThere } from './presence.ts';
import { equalValues } from '../seeded.ts';
import { applied, type Replayed } from './session-replay.ts';
import type { TableState } from './table-state.ts';
import type { Trial } from './trial.ts';

/**
 * Whether every applied operation can have been applied: for each of its decline rules there must be an order of the
 * operations on that row, consistent with the logged times, in which the rule did not hold when it was applied. Each
 * row's column is judged by itself. Operations in doubt count where they help.
 */
export class Permitted {
  readonly refused = new Mismatches('applied where a rule declines it in every order of the operations');
  readonly values: PermittedValues;
  readonly #sums: PermittedSums;
  readonly #trial: Trial;
  /** By operation. */
  readonly #rules: readonly (readonly AppliedRule[])[];
  /** Of these, the ones that each operation is judged by. */
  readonly #noted: readonly (readonly AppliedRule[])[];
  /** Rows of operations in doubt that an applied operation must have found. */
  readonly #found: { readonly state: TableState; readonly number: number; readonly fact: string }[] = [];

  constructor(trial: Trial) {
    this.#trial = trial;
    this.#rules = trial.follows.operations.map(appliedRules);
    this.#noted = this.#rules.map((all) =>
      all.filter((each) => each.kind !== 'sum' || !takesItsBound(each) || each.others.length > 0),
    );
    this.#sums = new PermittedSums(trial, this.#rules, this.refused);
    this.values = new PermittedValues(trial, this.#rules, this.refused);
  }

  /** Takes an operation that was applied or is in doubt, once all inserts are known. */
  note(replayed: Replayed, bound: BoundOperation): void {
    this.values.note(replayed, bound);
    if (replayed.status !== applied) return;
    for (const each of this.#noted[replayed.operation] ?? nothingAt(replayed.operation)) {
      if (each.kind === 'sum') this.#sums.note(replayed, each, bound);
      else if (each.kind === 'arguments') this.#byArguments(replayed, bound, each.rule, each.reason);
      else if (each.kind === 'presence') this.#byPresence(replayed, bound, each.rule, each.reason);
    }
  }

  /** Takes a row of the database by its number: the last values of its columns. */
  last(state: TableState, number: number, row: Row): void {
    this.#sums.last(state, number, row);
    this.values.last(state, number, row);
  }

  /** Once all rows were taken. */
  judge(): void {
    this.#sums.judge();
    this.values.judge();
    for (const { state, number, fact } of this.#found) {
      const isDeleted = state.deleted?.isDeleted(state.followed.table.rows + number) === true;
      if (!state.inserted.seen(number) && !isDeleted) this.refused.add(() => fact);
    }
    this.#byBounds();
  }

  #byArguments(
    replayed: Replayed,
    bound: BoundOperation,
    { kind, left, right }: Comparison,
    reason: number,
  ): void {
    if (left.kind !== 'value' || right.kind !== 'value') return;
    const { values } = replayed;
    const records = recordsOf(values, left.list ?? right.list);
    for (let record = 0; record < records; record += 1) {
      if (!holds(kind, left.get(values, record), right.get(values, record))) continue;
      return this.#refuse(replayed, bound, reason, 'by its arguments');
    }
  }

  #byPresence(replayed: Replayed, bound: BoundOperation, { kind, row }: Presence, reason: number): void {
    const state = this.#trial.tables[row.table.number];
    if (state === undefined) return;
    const { rows, name } = state.followed.table;
    for (let record = 0; record < recordsOf(replayed.values, row.list); record += 1) {
      const number = state.rowAt(row.keys, replayed.values, record);
      const permits = kind === 'exists' ? canBeMissing : canBeThere;
      const keys = (): string => `row ${evaluate(row.keys, replayed.values, record).join(' ')} of ${name}`;
      if (!permits(state, number, replayed)) {
        const when = kind === 'exists' ? 'was there before it' : 'was not there until after it';
        return this.#refuse(replayed, bound, reason, `${keys()} ${when}`);
      }
      if (kind === 'exists' || number < rows || !state.inserted.inDoubt(number - rows)) continue;
      const fact = `${nameOf(replayed, bound, reason)}, ${keys()} was never there`;
      this.#found.push({ state, number: number - rows, fact });
    }
  }

  /** Rules that are only judged by what their columns can have been at any time of the trial. */
  #byBounds(): void {
    const rules = this.#rules.map((all) => all.filter((each) => each.kind === 'bounds'));
    if (rules.every(({ length }) => length === 0)) return;
    this.#trial.each((replayed, bound) => {
      if (replayed.status !== applied) return;
      for (const { rule, reason } of rules[replayed.operation] ?? nothingAt(replayed.operation)) {
        if (mustHold(this.#trial, rule, replayed))
          this.#refuse(replayed, bound, reason, 'in every state of the trial');
      }
    });
  }

  #refuse(replayed: Replayed, bound: BoundOperation, reason: number, why: string): void {
    this.refused.add(() => `${nameOf(replayed, bound, reason)}, ${why}`);
  }
}

/** "operation 17 of session 3 (take, sold-out)" */
function nameOf({ session, sequence }: Replayed, { operation }: BoundOperation, reason: number): string {
  return `operation ${sequence} of session ${session} (${operation.name}, ${operation.reasons[reason]})`;
}

function holds(kind: 'equal' | 'less', left: ScalarValue, right: ScalarValue): boolean {
  if (kind === 'less') return left < right;
  if (typeof left === 'object' || typeof left === 'string') return equalValues(left, right);
  return !(left < right) && !(left > right);
}
