import { bindReplies } from './bind.ts';
import { Mismatches } from './growing.ts';
import { KeptFields } from './kept-replies.ts';
import { neverUs } from './log-format.ts';
import { type Replayed, type SessionReplay, wideAt } from './session-replay.ts';
import type { TableState } from './table-state.ts';
import type { Trial } from './trial.ts';

/** The time that an applied insert's reply gave, with the moments between which it was given. */
interface Given {
  readonly timeUs: bigint;
  readonly sentUs: number;
  readonly settledUs: number;
  readonly row: number;
}

/**
 * Values that the server gives and that later operations name: an id belongs to one row; a time is not before one whose
 * reply had come when the operation was sent; an argument is a value that a reply of its session had before.
 */
export class ServerValues {
  readonly twice = new Mismatches('ids that the server gave to two rows');
  readonly backwards = new Mismatches('times of the server that are before an earlier one');
  readonly untold = new Mismatches('arguments that no earlier reply of their session had');
  readonly #trial: Trial;
  readonly #kept: KeptFields;
  /** By table and column, the row of each id. */
  readonly #ids = new Map<string, Map<bigint, number>>();
  /** By kept value, what the session's replies had. */
  #told: Set<bigint>[] = [];
  #session = -1;

  constructor(trial: Trial) {
    this.#trial = trial;
    this.#kept = new KeptFields(trial.workload);
    for (const { returns } of bindReplies(trial.workload)) {
      if (returns.kind === 'row' && returns.by !== null) this.#collect(returns.table.number, returns.by);
      if (returns.kind === 'scan' && returns.until !== null)
        this.#judgeTimes(returns.table.number, returns.until.column);
    }
  }

  get mismatches(): Mismatches[] {
    return [this.twice, this.backwards, this.untold];
  }

  /** The number of the row to which the server gave an id; −1 for none. */
  rowOf(table: number, column: number, id: bigint): number {
    return this.#ids.get(`${table} ${column}`)?.get(id) ?? -1;
  }

  /** Takes an applied operation; those of a session in their order. */
  judge({ operation, sequence, session, values }: Replayed, replay: SessionReplay): void {
    const keeping = this.#kept.operations[operation];
    if (keeping === undefined) return;
    if (session !== this.#session) {
      this.#session = session;
      this.#told = this.#kept.kept.map(({ initial }) => new Set([initial]));
    }
    for (const { argument, kept } of keeping.takes) {
      const value = values[argument];
      if (typeof value !== 'bigint' || this.#told[kept]?.has(value) === true) continue;
      this.untold.add(() => `${value}, by operation ${sequence} of session ${session}`);
    }
    const at = replay.fieldsAt(sequence);
    if (at === -1) return;
    for (const { field, kept } of keeping.gives) {
      this.#told[kept]?.add(wideAt(replay.log.fields, at + 2 * field));
    }
  }

  #collect(table: number, column: number): void {
    const state = this.#trial.tables[table];
    const name = `${table} ${column}`;
    if (state === undefined || this.#ids.has(name)) return;
    const ids = new Map<bigint, number>();
    this.#ids.set(name, ids);
    for (const { row, value } of returnedValues(state, column)) {
      const other = ids.get(value);
      if (other === undefined) ids.set(value, row);
      else
        this.twice.add(() => `${value}: ${state.describe(other, column)} and ${state.describe(row, column)}`);
    }
  }

  /** Of all times that were known when an operation was sent none is later than its own. */
  #judgeTimes(table: number, column: number): void {
    const state = this.#trial.tables[table];
    if (state === undefined) return;
    const given = this.#givenTimes(state, column);
    const bySettled = given.toSorted((a, b) => a.settledUs - b.settledUs);
    let known = 0;
    let latest: Given | null = null;
    for (const own of given.toSorted((a, b) => a.sentUs - b.sentUs)) {
      for (let next = bySettled[known]; next !== undefined && next.settledUs < own.sentUs;) {
        if (latest === null || next.timeUs > latest.timeUs) latest = next;
        known += 1;
        next = bySettled[known];
      }
      const before = latest;
      if (before === null || own.timeUs >= before.timeUs) continue;
      this.backwards.add(
        () =>
          `${own.timeUs} of ${state.describe(own.row, column)}, after ${before.timeUs} of ${state.describe(before.row, column)}`,
      );
    }
  }

  #givenTimes(state: TableState, column: number): Given[] {
    const { rows } = state.followed.table;
    return [...returnedValues(state, column)].flatMap(({ row, value }) => {
      const [sentUs, settledUs] = [state.inserted.sentUs(row - rows), state.inserted.settledUs(row - rows)];
      return settledUs === neverUs ? [] : [{ timeUs: value, sentUs, settledUs, row }];
    });
  }
}

/** The rows that were inserted, with what their replies said of a column. */
function* returnedValues(state: TableState, column: number): Generator<{ row: number; value: bigint }> {
  const { inserted, followed } = state;
  for (let number = 0; number < inserted.count; number += 1) {
    const value = inserted.returned(number, column);
    if (value !== null) yield { row: followed.table.rows + number, value };
  }
}
