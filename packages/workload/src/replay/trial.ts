import { nothingAt } from '../nothing-at.ts';
import type { Row, ScalarValue } from '@fair-bench/contract';
import type { Workload } from '../resolved.ts';
import { bigOf, recordsOf, type BoundEffect, type BoundOperation } from './bind.ts';
import { Cells, type CellNames } from './cells.ts';
import { Doubts, type OperationInDoubt } from './doubts.ts';
import type { SessionOutcomes } from './log-format.ts';
import { ReplyCheck } from './reply-check.ts';
import { keysOf } from './inserted-rows.ts';
import { followsOf, type Follows, seededRow } from './rows.ts';
import { createSeededCells } from '../seeded.ts';
import { applied, declined, inDoubt, SessionReplay, type Replayed, type Suppose } from './session-replay.ts';
import { TableState } from './table-state.ts';
import { words, writeVersion } from './version.ts';

const present = Uint32Array.from([0, 1]);
const absent = new Uint32Array(2);

/** A trial drawn again: the effects of its operations on every row, and what they saw. */
export class Trial implements CellNames {
  readonly workload: Workload;
  readonly follows: Follows;
  readonly check: ReplyCheck;
  readonly sessions: readonly SessionReplay[];
  readonly sessionsCount: number;
  readonly tables: readonly TableState[];
  readonly cells = new Cells();
  readonly doubts = new Doubts();
  /** Whether a cell was written, by number. */
  #touched = new Uint8Array(0);

  constructor(workload: Workload, logs: readonly SessionOutcomes[], suppose: Suppose | null = null) {
    this.workload = workload;
    this.follows = followsOf(workload);
    this.check = new ReplyCheck(workload);
    this.sessions = logs.map((log) => new SessionReplay(workload, log, suppose));
    this.sessionsCount = logs[0]?.sessions ?? 0;
    const shared = { follows: this.follows, before: workload.before, seeded: createSeededCells(workload) };
    this.tables = this.follows.tables.map((followed) => new TableState(followed, shared));
  }

  /** Draws all operations again and visits each. */
  each(visit: (replayed: Replayed, bound: BoundOperation, replay: SessionReplay) => void): void {
    const { operations } = this.follows;
    for (const session of this.sessions) {
      session.each(this.sessionsCount, (replayed, replay) => {
        const bound = operations[replayed.operation];
        if (bound !== undefined) visit(replayed, bound, replay);
      });
    }
  }

  /** First all rows that may have been inserted, because any operation may name them; then numbers for all cells. */
  replayInserts(): void {
    if (this.tables.some(({ followed }) => followed.inserted)) {
      let doubt = 0;
      this.each((replayed, bound, replay) => {
        if (replayed.status === inDoubt) doubt += 1;
        if (replayed.status !== applied && replayed.status !== inDoubt) return;
        for (const effect of bound.effects) {
          if (effect.kind === 'insert') this.#insert(effect, replayed, replay, doubt);
        }
      });
    }
    const bounded = this.#columnsOfRules();
    let [firstCell, firstSum] = [0, 0];
    for (const state of this.tables) {
      state.prepare(bounded[state.followed.table.number] ?? new Set());
      state.firstCell = firstCell;
      state.firstSum = firstSum;
      firstCell += state.cells;
      firstSum += state.rows * state.followed.adds.length;
    }
    if (firstCell >= 2 ** 32) {
      throw new Error(`${this.check.name}: ${firstCell} cells, the replay can follow 2^32; use fewer rows`);
    }
    this.#touched = new Uint8Array(Math.ceil(firstCell / 8));
    this.#replayDeletes();
  }

  /** Once all rows are known: which operation deleted which. */
  #replayDeletes(): void {
    if (this.tables.every(({ deleted }) => deleted === null)) return;
    this.each((replayed, bound, replay) => {
      if (replayed.status === declined) return;
      for (const effect of bound.effects) {
        const state = effect.kind === 'delete' ? this.tables[effect.row.table.number] : undefined;
        if (effect.kind !== 'delete' || state === undefined) continue;
        for (let record = 0; record < recordsOf(replayed.values, effect.list); record += 1)
          state.delete(effect.row, replayed, record, replay);
      }
    });
  }

  /** Then what they add and set; each operation that was applied or is in doubt is visited too. */
  replayEffects(visit: (replayed: Replayed, bound: BoundOperation) => void): void {
    this.each((replayed, bound) => {
      if (replayed.status !== applied && replayed.status !== inDoubt) return;
      visit(replayed, bound);
      const doubt =
        replayed.status === inDoubt ? this.doubts.open(replayed.session, replayed.sequence) : null;
      // Only what is added shows that an operation was carried out twice.
      const again = replayed.maybeTwice ? this.doubts.open(replayed.session, replayed.sequence) : null;
      for (const effect of bound.effects) {
        this.#effect(effect, replayed, doubt);
        if (again !== null && effect.kind === 'add') this.#effect(effect, replayed, again);
      }
    });
    for (const state of this.tables) this.#firstInserts(state);
  }

  /** A row that several may have inserted where it was missing came between the first sending and the first end of theirs. */
  #firstInserts(state: TableState): void {
    const { inserted, followed } = state;
    if (!followed.upserted || !followed.read) return;
    for (let number = 0; number < inserted.count; number += 1) {
      if (inserted.inDoubt(number)) continue;
      const times = { sentUs: inserted.sentUs(number), settledUs: inserted.settledUs(number) };
      this.#write(state.cell(followed.table.rows + number, -1), present, times, null);
    }
  }

  /** Compares a row of the database, and returns its number; differences of sums are added to `differences`. */
  take(state: TableState, row: Row, differences: Map<number, bigint>): number {
    const number = state.take(row, this.check);
    if (number === -1) return number;
    const { adds, sets, table } = state.followed;
    for (const [place, column] of adds.entries()) {
      // What a version is in the end depends on what its writers found.
      if (table.columns[column]?.writer !== undefined) continue;
      const expected = BigInt.asIntN(
        64,
        state.initial(column, number) + (state.sums.get(column)?.net(number) ?? 0n),
      );
      const found = bigOf(row[column] ?? nothingAt(column));
      if (found !== expected)
        differences.set(state.firstSum + number * adds.length + place, found - expected);
    }
    for (const column of sets) {
      const cell = state.cell(number, column);
      writeVersion(row[column] ?? nothingAt(column));
      if (this.#isTouched(cell)) this.cells.last(cell, words);
      else if (number < table.rows && !this.#seededAgain(state, column, number)) {
        state.wrong.add(() => `${this.describe(cell)}: changed, and no operation set it`);
      }
    }
    return number;
  }

  initial(cell: number, target: Uint32Array): boolean {
    const [state, row, column] = this.#placeOf(cell);
    if (column === -1) {
      target.set(absent);
      return true;
    }
    if (row >= state.followed.table.rows) return false;
    state.seededVersion(column, row);
    target.set(words);
    return true;
  }

  describe(cell: number): string {
    const [state, row, column] = this.#placeOf(cell);
    return state.describe(row, column);
  }

  describeSum(sum: number): string {
    const state = this.tables.findLast(
      ({ firstSum, followed }) => firstSum <= sum && followed.adds.length > 0,
    );
    if (state === undefined) return `sum ${sum}`;
    const { adds } = state.followed;
    const row = Math.floor((sum - state.firstSum) / adds.length);
    const column =
      adds[(sum - state.firstSum) % adds.length] ?? nothingAt((sum - state.firstSum) % adds.length);
    const expected = state.initial(column, row) + (state.sums.get(column)?.net(row) ?? 0n);
    return `${state.describe(row, column)}: expected ${expected}`;
  }

  /** A read that saw whether an inserted row exists. */
  presence(state: TableState, row: number, there: boolean, replayed: Replayed): void {
    const { inserted, followed } = state;
    const number = row - followed.table.rows;
    if (!followed.inserted || number < 0 || (followed.upserted && inserted.inDoubt(number))) return;
    this.cells.read(state.cell(row, -1), there ? present : absent, replayed.sentUs, replayed.settledUs);
  }

  #insert(
    effect: Extract<BoundEffect, { kind: 'insert' }>,
    { values, session, sequence, status, sentUs, settledUs }: Replayed,
    replay: SessionReplay,
    doubt: number,
  ): void {
    const state = this.tables[effect.table.number];
    if (state === undefined) return;
    const at = replay.fieldsAt(sequence);
    const fields = at === -1 ? null : replay.log.fields.subarray(at);
    const by = { session, sequence, sentUs, settledUs, doubt: status === inDoubt ? doubt : 0, fields };
    const records = recordsOf(values, effect.list);
    for (let record = 0; record < records; record += 1) {
      const isSeeded = effect.ifMissing && seededRow(effect.table, keysOf(effect, values, record)) !== -1;
      if (isSeeded || !state.inserted.add(effect, values, record, by)) continue;
      for (const [column, initials] of state.initials) {
        const source = effect.columns[column];
        initials.push(source?.kind === 'value' ? bigOf(source.get(values, record)) : 0n);
      }
    }
  }

  #effect(effect: BoundEffect, replayed: Replayed, doubt: OperationInDoubt | null): void {
    const { values } = replayed;
    const records = recordsOf(values, effect.list);
    for (let record = 0; record < records; record += 1) {
      if (effect.kind === 'insert') this.#inserted(effect, replayed, record, doubt);
      else if (effect.kind !== 'delete') {
        const state = this.tables[effect.row.table.number];
        const row = state?.rowAt(effect.row.keys, values, record) ?? -1;
        // An effect on a missing row has no effect.
        if (state === undefined || row === -1) continue;
        if (effect.kind === 'add') {
          if (effect.row.table.columns[effect.column]?.writer !== undefined) continue;
          add(state, effect, row, bigOf(effect.amount(values, record)), doubt);
        } else {
          this.#set(state, row, effect.column(values), effect.to(values, record), replayed, doubt);
        }
      }
    }
  }

  /** An insert writes the columns that are set later, and the row's existence. */
  #inserted(
    effect: Extract<BoundEffect, { kind: 'insert' }>,
    replayed: Replayed,
    record: number,
    doubt: OperationInDoubt | null,
  ): void {
    const state = this.tables[effect.table.number];
    if (state === undefined || (doubt === null && state.cells === 0)) return;
    const { values } = replayed;
    const found = state.rowOf(keysOf(effect, values, record));
    const row = state.inserted.isBy(found - effect.table.rows, replayed) ? found : -1;
    if (effect.ifMissing) {
      // A row that several may have inserted where it was missing says nothing of one of them.
      if (row !== -1 && state.inserted.isOfOne(row - effect.table.rows))
        doubt?.inserts.push({ table: effect.table.number, row });
      return;
    }
    doubt?.inserts.push({ table: effect.table.number, row });
    if (state.cells === 0 || row === -1) return;
    if (state.followed.read) this.#write(state.cell(row, -1), present, replayed, doubt);
    for (const column of state.followed.sets) {
      const source = effect.columns[column];
      if (source?.kind !== 'value') continue;
      this.#set(state, row, column, source.get(values, record), replayed, doubt);
    }
  }

  #set(
    state: TableState,
    row: number,
    column: number,
    value: ScalarValue,
    replayed: Replayed,
    doubt: OperationInDoubt | null,
  ): void {
    state.mayBe(column, row, value);
    writeVersion(value);
    this.#write(state.cell(row, column), words, replayed, doubt);
  }

  #write(
    cell: number,
    version: Uint32Array,
    { sentUs, settledUs }: Pick<Replayed, 'sentUs' | 'settledUs'>,
    doubt: OperationInDoubt | null,
  ): void {
    this.#touched[cell >>> 3] = (this.#touched[cell >>> 3] ?? nothingAt(cell >>> 3)) | (1 << (cell & 7));
    this.cells.write(cell, version, sentUs, settledUs, doubt === null ? 0 : doubt.number + 1);
  }

  #isTouched(cell: number): boolean {
    return ((this.#touched[cell >>> 3] ?? nothingAt(cell >>> 3)) & (1 << (cell & 7))) !== 0;
  }

  /** Whether `words` is the seeded version of the cell. */
  #seededAgain(state: TableState, column: number, row: number): boolean {
    const [high, low] = words;
    state.seededVersion(column, row);
    return words[0] === high && words[1] === low;
  }

  #placeOf(cell: number): readonly [TableState, number, number] {
    const state = this.tables.findLast(({ firstCell, cells }) => cells > 0 && firstCell <= cell);
    if (state === undefined) throw new RangeError(`no cell ${cell}`);
    const width = state.followed.sets.length + 1;
    const place = (cell - state.firstCell) % width;
    return [state, Math.floor((cell - state.firstCell) / width), state.followed.sets[place] ?? -1];
  }

  /** By table, the added columns that decline rules read. */
  #columnsOfRules(): Set<number>[] {
    const columns = this.tables.map(() => new Set<number>());
    for (const { rules } of this.follows.operations) {
      for (const { rule } of rules) {
        if ('row' in rule) continue;
        for (const operand of [rule.left, rule.right]) {
          if (operand.kind === 'column') columns[operand.row.table.number]?.add(operand.column);
        }
      }
    }
    // Reads of a sum are judged by the same bounds.
    for (const { read, adds, table } of this.follows.tables) {
      if (read) for (const column of adds) columns[table.number]?.add(column);
    }
    return columns;
  }
}

function add(
  state: TableState,
  { column, negative }: Extract<BoundEffect, { kind: 'add' }>,
  row: number,
  amount: bigint,
  doubt: OperationInDoubt | null,
): void {
  const sums = state.sums.get(column);
  if (sums === undefined) return;
  if (doubt === null) {
    if (negative) sums.subtract(row, amount);
    else sums.add(row, amount);
    return;
  }
  const signed = negative ? -amount : amount;
  sums.mayAdd(row, signed);
  const sum = sumOf(state, column, row);
  doubt.adds.set(sum, (doubt.adds.get(sum) ?? 0n) + signed);
}

/** The number of a sum: of a column of a row. */
export function sumOf({ firstSum, followed: { adds } }: TableState, column: number, row: number): number {
  return firstSum + row * adds.length + adds.indexOf(column);
}
