import { nothingAt } from '../nothing-at.ts';
import type { Row, ScalarValue, Values } from '@fair-bench/contract';
import { bigOf, type BoundRow, type Get } from './bind.ts';
import { DeletedRows } from './deleted-rows.ts';
import { BigInt64List, Mismatches } from './growing.ts';
import { InsertedRows, type Insert } from './inserted-rows.ts';
import { describeRow, shown, type ReplyCheck } from './reply-check.ts';
import { seededOrigin, textLengthNaming } from '../draw/content.ts';
import type { RowsBefore } from '../resolved.ts';
import { DigestOfRows, isSameDigest } from '../rows-left.ts';
import type { SeededCell } from '../seeded.ts';
import { words, writeVersion } from './version.ts';
import { seededRow, type Followed, type Follows } from './rows.ts';
import { applied, type Replayed, type SessionReplay } from './session-replay.ts';
import { Sums } from './sums.ts';

const scratch: ScalarValue[] = [];

/** What the tables of a trial share. */
interface OfTrial {
  readonly follows: Follows;
  /** The rows that it began with, where they were not seeded. */
  readonly before: RowsBefore | undefined;
  readonly seeded: SeededCell;
}

/** The replay's knowledge of one table: rows are numbered, seeded ones first, then inserted ones. */
export class TableState {
  readonly followed: Followed;
  readonly inserted: InsertedRows;
  readonly wrong: Mismatches;
  readonly missing: Mismatches;
  readonly doubled: Mismatches;
  readonly unknown: Mismatches;
  /** By column that is added to. */
  readonly sums = new Map<number, Sums>();
  /** By column that is added to: what inserted rows began with. */
  readonly initials = new Map<number, BigInt64List>();
  /** By column that is set and that a rule reads, by row: the least and the most it was set to; null where it is no number. */
  readonly ranges = new Map<number, Map<number, readonly [bigint, bigint] | null>>();
  /** Null where no operation deletes rows, and until all rows are known. */
  deleted: DeletedRows | null = null;
  readonly #seeded: SeededCell;
  readonly #before: RowsBefore | null;
  /** Rows that an earlier load inserted, as far as they are still there. */
  readonly #kept = new DigestOfRows();
  readonly altered: Mismatches;
  readonly #seen: Uint8Array;
  #rowsChecked = 0;
  /** The first number of this table's cells: one per set column, and one for the row's existence. */
  firstCell = 0;
  firstSum = 0;

  constructor(followed: Followed, { follows, before, seeded }: OfTrial) {
    this.followed = followed;
    this.#seeded = seeded;
    this.#before = before ?? null;
    const effects = follows.operations.flatMap((operation) => operation.effects);
    const inserts = effects.filter(
      (effect): effect is Insert => effect.kind === 'insert' && effect.table === followed.table,
    );
    this.inserted = new InsertedRows(followed, inserts);
    this.#seen = new Uint8Array(followed.table.rows);
    const { name } = followed.table;
    this.wrong = new Mismatches(`rows of ${name} with a wrong value`);
    this.missing = new Mismatches(`rows of ${name} missing`);
    this.doubled = new Mismatches(`rows of ${name} more than once`);
    this.unknown = new Mismatches(`rows of ${name} that nobody inserted`);
    this.altered = new Mismatches(`rows of ${name} that were there before the load changed`);
    for (const column of followed.adds) this.initials.set(column, new BigInt64List());
  }

  get rows(): number {
    return this.followed.table.rows + this.inserted.count;
  }

  get rowsChecked(): number {
    return this.#rowsChecked;
  }

  /** The number of this table's cells: per row its set columns, and its existence. */
  get cells(): number {
    const { sets, read, inserted } = this.followed;
    return sets.length === 0 && !(read && inserted) ? 0 : this.rows * (sets.length + 1);
  }

  /** Once all inserted rows are known: allocates sums. `bounded` names the columns that decline rules read. */
  prepare(bounded: ReadonlySet<number>): void {
    for (const column of this.followed.adds) {
      this.sums.set(column, new Sums(this.rows, bounded.has(column)));
    }
    if (this.followed.deleted) this.deleted = new DeletedRows(this);
    for (const column of this.followed.sets) if (bounded.has(column)) this.ranges.set(column, new Map());
  }

  /** A value that a column which is set may have had. */
  mayBe(column: number, row: number, value: ScalarValue): void {
    const ranges = this.ranges.get(column);
    if (ranges === undefined) return;
    const isNumber = typeof value !== 'string' && typeof value !== 'object';
    const first = row < this.followed.table.rows ? this.seededValue(column, row) : value;
    const known = ranges.get(row) ?? (isNumber ? [bigOf(first), bigOf(first)] : null);
    if (!isNumber || known === null) return void ranges.set(row, null);
    const [big, [least, most]] = [bigOf(value), known];
    ranges.set(row, [big < least ? big : least, big > most ? big : most]);
  }

  /** The number of the row with this key; −1 when no operation applied or in doubt created it. */
  rowOf(keys: readonly ScalarValue[]): number {
    const seeded = seededRow(this.followed.table, keys);
    if (seeded !== -1 || !this.followed.inserted) return seeded;
    const inserted = this.inserted.find(keys);
    return inserted === -1 ? -1 : this.followed.table.rows + inserted;
  }

  rowAt(gets: readonly Get[], values: Values, record: number): number {
    for (let place = 0; place < gets.length; place += 1) scratch[place] = gets[place]?.(values, record) ?? 0;
    return this.rowOf(scratch);
  }

  /** The initial value of a column that is added to. */
  initial(column: number, row: number): bigint {
    const { rows, number } = this.followed.table;
    if (row >= rows) return this.initials.get(column)?.at(row - rows) ?? 0n;
    return bigOf(this.#seeded(number, column, row));
  }

  /** "stock.count of row 17" */
  describe(row: number, column: number): string {
    const { name, columns, rows } = this.followed.table;
    const named = row < rows ? `row ${row}` : `the row ${this.inserted.describe(row - rows)}`;
    return `${name}${column === -1 ? '' : `.${columns[column]?.name}`} of ${named}`;
  }

  seededValue(column: number, row: number): ScalarValue {
    return this.#seeded(this.followed.table.number, column, row);
  }

  /** Writes the version of a seeded value into `words`; one that names its row needs no text. */
  seededVersion(column: number, row: number): void {
    const { table } = this.followed;
    const { type, seed } = table.columns[column] ?? {};
    const length = type?.kind === 'text' ? type.length - textLengthNaming : -1;
    const isLeft = this.#before !== null && this.followed.sets.includes(column);
    if (isLeft || seed?.kind !== 'content' || length < 0) return writeVersion(this.seededValue(column, row));
    words[0] = seededOrigin(table.number, column);
    words[1] = row;
    return undefined;
  }

  /** The number of a cell; the last of each row is its existence. */
  cell(row: number, column: number): number {
    const { sets } = this.followed;
    const place = column === -1 ? sets.length : sets.indexOf(column);
    return this.firstCell + row * (sets.length + 1) + place;
  }

  /**
   * Takes a row of the database: checks that it is known, whole and unique. Returns its number if its written columns
   * must be compared, otherwise −1.
   */
  take(row: Row, check: ReplyCheck): number {
    const { table } = this.followed;
    const number = this.rowOf(row);
    if (number === -1) {
      if (this.#before !== null && this.followed.inserted) {
        this.#kept.add(row);
        this.#rowsChecked += 1;
        return -1;
      }
      this.unknown.add(
        () => `${describeRow(table, row)}: ${shown(row[table.keyColumns] ?? nothingAt(table.keyColumns))}`,
      );
      return -1;
    }
    this.deleted?.take(number);
    const mistake = check.rowMistake(table, row);
    if (mistake !== null) this.wrong.add(() => mistake);
    if (number >= table.rows) {
      this.inserted.check(number - table.rows, row);
      this.#rowsChecked += 1;
      return mistake === null ? number : -1;
    }
    if (this.#seen[number] === 1) {
      this.doubled.add(() => describeRow(table, row));
      return -1;
    }
    this.#seen[number] = 1;
    this.#rowsChecked += 1;
    return mistake === null ? number : -1;
  }

  /** Counts missing rows. */
  finish(): void {
    const { rows, number: table } = this.followed.table;
    const left = this.#before?.inserted(table);
    if (left !== undefined && !isSameDigest(left, this.#kept.digest)) {
      this.altered.add(
        () => `${left.count} were there, and ${this.#kept.digest.count} are, not all the same`,
      );
    }
    this.inserted.finish((number) => this.deleted?.isGone(rows + number) === true);
    for (let row = this.#seen.indexOf(0); row !== -1; row = this.#seen.indexOf(0, row + 1)) {
      if (this.deleted?.isGone(row) === true) continue;
      this.missing.add(() => `row ${row} of ${this.followed.table.name}`);
    }
  }

  get mismatches(): Mismatches[] {
    const { lost, altered, doubled, clashing } = this.inserted;
    const { wrong, missing, unknown } = this;
    const own = [wrong, missing, this.doubled, unknown, this.altered, lost, altered, doubled, clashing];
    return [...own, ...(this.deleted?.mismatches ?? [])];
  }

  /** Whether the row is in the database. */
  seen(row: number): boolean {
    const { rows } = this.followed.table;
    return row < rows ? this.#seen[row] === 1 : this.inserted.seen(row - rows);
  }

  /** Takes an operation that deletes a row. */
  delete(row: BoundRow, replayed: Replayed, record: number, replay: SessionReplay): void {
    if (row.first === null)
      return this.deleted?.note(this.rowAt(row.keys, replayed.values, record), replayed);
    if (replayed.status !== applied) return this.deleted?.noteUnnamed(replayed);
    const at = replay.fieldsAt(replayed.sequence);
    const key = row.first.map((field) => {
      const [high = 0, low = 0] = replay.log.fields.subarray(at + 2 * field, at + 2 * field + 2);
      return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
    });
    const columns = this.followed.table.columns;
    const typed = key.map((value, place) => (columns[place]?.type.kind === 'key' ? Number(value) : value));
    return this.deleted?.note(at === -1 ? -1 : this.rowOf(typed), replayed);
  }
}
