import { nothingAt } from '../nothing-at.ts';
import { Mismatches } from './growing.ts';
import { applied, fault, inDoubt, type Replayed } from './session-replay.ts';
import type { InsertedRows } from './inserted-rows.ts';
import type { Followed } from './rows.ts';

/** A table's rows, seeded ones first, then inserted ones. */
interface NumberedRows {
  readonly followed: Followed;
  readonly inserted: InsertedRows;
  readonly rows: number;
  /** Whether the database has this one. */
  seen(row: number): boolean;
  describe(row: number, column: number): string;
}

/**
 * Which operation deleted which row of a table: at most one each, because the key of a deleted row is never inserted
 * again. 16 bytes per row.
 */
export class DeletedRows {
  readonly #state: NumberedRows;
  readonly #twice = new Mismatches('deleted by two operations');
  readonly #unknown = new Mismatches('deleted and never inserted');
  readonly #there = new Mismatches('deleted and still there');
  /** By row, the session that deleted it plus 1, or 0; and its operation's sequence, sent and settled. */
  readonly #sessions: Uint32Array;
  readonly #sequences: Uint32Array;
  readonly #sent: Uint32Array;
  readonly #settled: Uint32Array;
  /** By row, when the first operation in doubt that may have deleted it was sent. */
  readonly #doubts = new Map<number, number>();
  /** Operations in doubt, or ended by a fault, whose reply would have named the row. */
  #unnamed = 0;
  #lackingMax = 0;
  #certain: Certain | null = null;

  constructor(state: NumberedRows) {
    this.#state = state;
    const { rows } = state;
    this.#sessions = new Uint32Array(rows);
    this.#sequences = new Uint32Array(rows);
    this.#sent = new Uint32Array(rows);
    this.#settled = new Uint32Array(rows);
  }

  get mismatches(): Mismatches[] {
    return [this.#twice, this.#unknown, this.#there];
  }

  /** Takes an operation that was applied, in doubt or refused, with the row that it names. */
  note(row: number, replayed: Replayed): void {
    const { session, sequence, sentUs, settledUs, status } = replayed;
    if (status === fault) return undefined;
    const name = (): string => `operation ${sequence} of session ${session}`;
    if (row === -1) {
      if (status === applied)
        this.#unknown.add(() => `a row of ${this.#state.followed.table.name} by ${name()}`);
      return undefined;
    }
    if (status !== applied) {
      this.#doubts.set(row, Math.min(sentUs, this.#doubts.get(row) ?? sentUs));
      return undefined;
    }
    if (this.isDeleted(row)) {
      const other = `operation ${this.#sequences[row]} of session ${(this.#sessions[row] ?? nothingAt(row)) - 1}`;
      return this.#twice.add(() => `${this.#state.describe(row, -1)}: ${other} and ${name()}`);
    }
    this.#sessions[row] = session + 1;
    this.#sequences[row] = sequence;
    this.#sent[row] = sentUs;
    this.#settled[row] = settledUs;
    return undefined;
  }

  /** Takes an operation without a reply that would have named its row; in doubt, it may have deleted one. */
  noteUnnamed({ status }: Replayed): void {
    this.#unnamed += 1;
    if (status === inDoubt) this.#lackingMax += 1;
  }

  isDeleted(row: number): boolean {
    return (this.#sessions[row] ?? nothingAt(row)) !== 0;
  }

  /** Takes a row of the database. */
  take(row: number): void {
    if (this.isDeleted(row)) this.#there.add(() => this.#state.describe(row, -1));
  }

  /** Whether a row that is not in the database was deleted or may have been; each operation without a reply explains one row. */
  isGone(row: number): boolean {
    if (this.isDeleted(row) || this.#doubts.has(row)) return true;
    this.#lackingMax -= 1;
    return this.#lackingMax >= 0;
  }

  /** Whether another operation deleted the row before this one was sent. */
  isBefore(row: number, replayed: Replayed): boolean {
    return (
      this.isDeleted(row) &&
      !this.#isBy(row, replayed) &&
      (this.#settled[row] ?? nothingAt(row)) < replayed.sentUs
    );
  }

  /** Whether another operation may have deleted the row before this one ended. */
  mayBeBefore(row: number, replayed: Replayed): boolean {
    const isKnown =
      this.isDeleted(row) &&
      !this.#isBy(row, replayed) &&
      (this.#sent[row] ?? nothingAt(row)) <= replayed.settledUs;
    return isKnown || this.#unnamed > 0 || (this.#doubts.get(row) ?? Infinity) <= replayed.settledUs;
  }

  /**
   * Whether some row certainly was there from the operation's sending to its end. Not known where an operation without a
   * reply may have held a row, or taken it.
   */
  anyDuring({ sentUs, settledUs }: Replayed): boolean {
    if (this.#unnamed > 0) return false;
    this.#certain ??= this.#certainRows();
    return this.#certain.lastGoneUs(sentUs) > settledUs;
  }

  #isBy(row: number, { session, sequence }: Replayed): boolean {
    return this.#sessions[row] === session + 1 && this.#sequences[row] === sequence;
  }

  #certainRows(): Certain {
    const { inserted, followed, rows } = this.#state;
    const seeded = followed.table.rows;
    const lives: [number, number][] = [];
    for (let row = 0; row < rows; row += 1) {
      const number = row - seeded;
      if (number >= 0 && inserted.inDoubt(number)) continue;
      const fromUs = number < 0 ? -1 : inserted.settledUs(number);
      const goneUs = this.isDeleted(row)
        ? (this.#sent[row] ?? nothingAt(row))
        : this.#state.seen(row)
          ? Infinity
          : 0;
      lives.push([fromUs, Math.min(goneUs, this.#doubts.get(row) ?? Infinity)]);
    }
    return new Certain(lives);
  }
}

/** Rows by the moment from which they were certainly there, with the latest moment until which one of them was. */
class Certain {
  readonly #fromUs: Float64Array;
  readonly #goneUs: Float64Array;

  constructor(lives: [fromUs: number, goneUs: number][]) {
    lives.sort(([a], [b]) => a - b);
    this.#fromUs = Float64Array.from(lives, ([fromUs]) => fromUs);
    this.#goneUs = Float64Array.from(lives, ([, goneUs]) => goneUs);
    for (let place = 1; place < this.#goneUs.length; place += 1) {
      this.#goneUs[place] = Math.max(
        this.#goneUs[place] ?? nothingAt(place),
        this.#goneUs[place - 1] ?? nothingAt(place - 1),
      );
    }
  }

  /** Until when a row was there that had been there before a moment. */
  lastGoneUs(beforeUs: number): number {
    let [low, high] = [0, this.#fromUs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#fromUs[middle] ?? nothingAt(middle)) < beforeUs) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (this.#goneUs[low - 1] ?? nothingAt(low - 1));
  }
}
