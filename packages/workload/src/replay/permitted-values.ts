import { nothingAt } from '../nothing-at.ts';
import type { Row, ScalarValue } from '@fair-bench/contract';
import type { AppliedRule, ValueRule } from './applied-rules.ts';
import { bigOf, type BoundEffect, type BoundOperation, type Get, recordsOf } from './bind.ts';
import type { Mismatches } from './growing.ts';
import { neverUs } from './log-format.ts';
import { canBeMissing } from './presence.ts';
import { inDoubt, type Replayed } from './session-replay.ts';
import { type Budget, orderOf, type Setter } from './setter-order.ts';
import type { TableState } from './table-state.ts';
import type { Trial } from './trial.ts';

/** Over all values of a trial. */
const stepsMax = 20_000_000;

/** An operation that set a value, or only found one: `to` is null. */
interface Visit extends Omit<Setter, 'to'> {
  readonly to: bigint | null;
  readonly name: string;
}

/** A row's column that operations set and rules compare. */
interface Value {
  readonly state: TableState;
  readonly row: number;
  readonly column: number;
  readonly visits: Visit[];
  final: bigint | null;
}

interface Touch {
  to: bigint | null;
  readonly rules: {
    readonly compares: ValueRule['compares'];
    readonly bound: bigint;
    readonly reason: number;
  }[];
}

/** Applied operations with rules on numbers and flags that operations set. About 200 bytes for each operation on one. */
export class PermittedValues {
  /** Values of which the search for an order did not end. */
  undecided = 0;
  readonly #trial: Trial;
  readonly #refused: Mismatches;
  /** By operation. */
  readonly #rules: readonly (readonly ValueRule[])[];
  /** By table, the columns that rules compare. */
  readonly #columns: readonly ReadonlySet<number>[];
  readonly #isNeeded: boolean;
  readonly #values = new Map<string, Value>();
  readonly #numbers = new Map<string, number>();
  readonly #permits: ((value: bigint) => boolean)[] = [];

  constructor(trial: Trial, rules: readonly (readonly AppliedRule[])[], refused: Mismatches) {
    this.#trial = trial;
    this.#refused = refused;
    this.#rules = rules.map((all) => all.filter((each) => each.kind === 'value'));
    const flat = this.#rules.flat();
    this.#isNeeded = flat.length > 0;
    this.#columns = trial.tables.map(
      ({ followed: { table } }) =>
        new Set(flat.filter(({ row }) => row.table === table).map(({ column }) => column)),
    );
  }

  /** Takes an operation that was applied or is in doubt. */
  note(replayed: Replayed, bound: BoundOperation): void {
    if (!this.#isNeeded) return;
    const touches = new Map<Value, Touch>();
    for (const effect of bound.effects) this.#effect(replayed, effect, touches);
    for (const { row, column, compares, bound: boundOf, list, reason } of this.#rules[replayed.operation] ??
      []) {
      for (let record = 0; record < recordsOf(replayed.values, list); record += 1) {
        const number = this.#rowAt(row.table.number, row.keys, replayed, record);
        const touch = this.#touch(touches, row.table.number, number, column);
        touch?.rules.push({ compares, bound: bigOf(boundOf(replayed.values, record)), reason });
      }
    }
    const isTimed = this.#trial.workload.operations[replayed.operation]?.timed === 'always';
    for (const [value, touch] of touches) {
      // Before its insert, a row has no value that a rule could compare.
      const isFree = touch.to === null && canBeMissing(value.state, value.row, replayed);
      if (isFree || (touch.to === null && replayed.status === inDoubt)) continue;
      value.visits.push({
        sentUs: isTimed ? replayed.sentUs : 0,
        settledUs: isTimed ? replayed.settledUs : neverUs,
        doubt: replayed.status === inDoubt,
        rule: this.#ruleOf(touch),
        to: touch.to,
        name: nameOf(replayed, bound, touch.rules[0]?.reason),
      });
    }
  }

  /** Takes the last values of a row. */
  last(state: TableState, number: number, row: Row): void {
    for (const column of this.#columns[state.followed.table.number] ??
      nothingAt(state.followed.table.number)) {
      const value = this.#values.get(`${state.followed.table.number} ${number} ${column}`);
      if (value !== undefined) value.final = bigOf(row[column] ?? nothingAt(column));
    }
  }

  /** Once all rows were taken. */
  judge(): void {
    const budget: Budget = { stepsLeft: stepsMax };
    for (const value of this.#values.values()) {
      if (value.final !== null && value.visits.some(({ rule }) => rule !== -1))
        this.#judge(value, value.final, budget);
    }
  }

  #judge({ state, row, column, visits }: Value, final: bigint, budget: Budget): void {
    const initial = row < state.followed.table.rows ? bigOf(state.seededValue(column, row)) : null;
    const setters = visits.filter((visit): visit is Visit & Setter => visit.to !== null);
    const described = state.describe(row, column);
    // Only the rules that judge this value, so that values which these judge alike are one.
    const numbers = [...new Set(visits.flatMap(({ rule }) => (rule === -1 ? [] : [rule])))];
    const permits = numbers.map((number) => this.#permits[number] ?? ((): boolean => true));
    const own = setters.map((setter) => ({ ...setter, rule: numbers.indexOf(setter.rule) }));
    const order =
      setters.length === 0 ? 'permitted' : orderOf({ setters: own, permits, initial, final }, budget);
    if (order === 'undecided') this.undecided += 1;
    if (order === 'refused') {
      const ruled = setters.filter(({ rule }) => rule !== -1).map(({ name }) => name);
      const more = ruled.length > 3 ? ` and ${ruled.length - 3} more` : '';
      this.#refused.add(
        () =>
          `${described}, which ended at ${final}: no order permits ${ruled.slice(0, 3).join(', ')}${more}`,
      );
    }
    for (const visit of visits) {
      if (visit.to !== null || visit.rule === -1 || this.#canFind(visit, setters, initial)) continue;
      this.#refused.add(() => `${described}: ${visit.name} never found a value that permits it`);
    }
  }

  /** Whether some value that permits the operation was there before its end. */
  #canFind(
    { rule, sentUs, settledUs }: Visit,
    setters: readonly (Visit & Setter)[],
    initial: bigint | null,
  ): boolean {
    const permits = this.#permits[rule] ?? ((): boolean => true);
    const isOverwritten = setters.some((setter) => !setter.doubt && setter.settledUs < sentUs);
    if (!isOverwritten && (initial === null || permits(initial))) return true;
    return setters.some((setter) => setter.sentUs <= settledUs && permits(setter.to));
  }

  #effect(replayed: Replayed, effect: BoundEffect, touches: Map<Value, Touch>): void {
    const { values } = replayed;
    const table = effect.kind === 'insert' ? effect.table : effect.row.table;
    const columns = this.#columns[table.number];
    if (effect.kind === 'add' || effect.kind === 'delete' || columns === undefined || columns.size === 0)
      return;
    for (let record = 0; record < recordsOf(values, effect.list); record += 1) {
      if (effect.kind === 'set') {
        const row = this.#rowAt(table.number, effect.row.keys, replayed, record);
        const touch = this.#touch(touches, table.number, row, effect.column(values));
        if (touch !== null) touch.to = numberOf(effect.to(values, record));
        continue;
      }
      const keys = effect.columns.slice(0, table.keyColumns);
      const gets = keys.map((column) => (column.kind === 'value' ? column.get : (): ScalarValue => 0));
      const row = this.#rowAt(table.number, gets, replayed, record);
      for (const column of columns) {
        const source = effect.columns[column];
        const touch = source?.kind === 'value' ? this.#touch(touches, table.number, row, column) : null;
        if (touch !== null && source?.kind === 'value') touch.to = numberOf(source.get(values, record));
      }
    }
  }

  #rowAt(table: number, keys: readonly Get[], { values }: Replayed, record: number): number {
    return this.#trial.tables[table]?.rowAt(keys, values, record) ?? -1;
  }

  /** Null where the column is in no rule, or no row has the key. */
  #touch(touches: Map<Value, Touch>, table: number, row: number, column: number): Touch | null {
    const state = this.#trial.tables[table];
    if (state === undefined || row === -1 || this.#columns[table]?.has(column) !== true) return null;
    const key = `${table} ${row} ${column}`;
    const value = this.#values.get(key) ?? { state, row, column, visits: [], final: null };
    this.#values.set(key, value);
    const touch = touches.get(value) ?? { to: null, rules: [] };
    touches.set(value, touch);
    return touch;
  }

  /** The number of the rules that one operation has on one value, taken together; −1 without any. */
  #ruleOf({ rules }: Touch): number {
    if (rules.length === 0) return -1;
    const key = rules.map(({ compares, bound }) => `${compares} ${bound}`).join('&');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#permits.push((value) => rules.every((rule) => isPermitted(rule, value))) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

function isPermitted({ compares, bound }: Touch['rules'][number], value: bigint): boolean {
  if (compares === 'other') return value !== bound;
  return compares === 'least' ? value >= bound : value <= bound;
}

function numberOf(value: ScalarValue): bigint | null {
  return typeof value === 'string' || typeof value === 'object' ? null : bigOf(value);
}

function nameOf(
  { session, sequence }: Replayed,
  { operation }: BoundOperation,
  reason: number | undefined,
): string {
  const as = reason === undefined ? '' : `, ${operation.reasons[reason]}`;
  return `operation ${sequence} of session ${session} (${operation.name}${as})`;
}
