import { nothingAt } from '../nothing-at.ts';
import type { Row, ScalarValue, Values } from '@fair-bench/contract';
import type { ResolvedTable } from '../resolved.ts';
import { bigOf, type BoundColumn, type BoundEffect } from './bind.ts';
import { BigInt64List, Mismatches, Uint32List } from './growing.ts';
import { describeRow } from './reply-check.ts';
import type { Followed } from './rows.ts';
import { absentWord, Hash, words, writeVersion } from './version.ts';

export type Insert = Extract<BoundEffect, { kind: 'insert' }>;
const hash = new Hash();

interface Checked {
  readonly values: readonly number[];
  readonly returned: readonly number[];
}
const nothing: Checked = { values: [], returned: [] };

interface InsertedBy {
  readonly session: number;
  readonly sequence: number;
  readonly sentUs: number;
  readonly settledUs: number;
  /** The number of the operation in doubt plus 1, or 0. */
  readonly doubt: number;
  /** What its reply returned, if it came. */
  readonly fields: Uint32Array | null;
}

/** The key of the row that an insert names. */
export function keysOf({ columns, table }: Insert, values: Values, record: number): ScalarValue[] {
  return columns
    .slice(0, table.keyColumns)
    .map((column) => (column.kind === 'value' ? column.get(values, record) : 0));
}

/**
 * The rows of one table that operations inserted or may have inserted, numbered from 0: hashes of their keys and of
 * their expected content, 40 to 60 bytes each.
 */
export class InsertedRows {
  readonly table: ResolvedTable;
  readonly lost = new Mismatches('inserted and not there');
  readonly altered = new Mismatches('inserted with other values');
  readonly doubled = new Mismatches('there more than once');
  readonly clashing = new Mismatches('inserted under a key that another operation inserted');
  /** By effect, the columns that it says the values of: by arguments and constants, and by what the reply returns. */
  readonly #checked: ReadonlyMap<Insert, Checked>;
  readonly #effects: readonly Insert[];
  readonly #effectOf = new Uint32List();
  readonly #returnedCount: number;
  readonly #keepsKeys: boolean;
  readonly #sessions = new Uint32List();
  readonly #sequences = new Uint32List();
  /** When the first operation that may have inserted it was sent, and the first that did was settled. */
  readonly #sent = new Uint32List();
  readonly #settled = new Uint32List();
  readonly #keys = new Uint32List();
  readonly #contents = new Uint32List();
  readonly #returnedWords = new Uint32List();
  readonly #doubts = new Uint32List();
  readonly #keyValues: readonly BigInt64List[];
  /** The column by which reads say whose row they saw, and its versions. */
  readonly #named: number;
  readonly #namedWords = new Uint32List();
  /** Inserts in doubt of a key that another operation inserted. */
  readonly #hidden = new Set<number>();
  /** Rows that several operations may have inserted where they were missing. */
  readonly #shared = new Set<number>();
  #seen = new Uint8Array(0);
  /** Open addressing: number + 1 by key hash. */
  #places = new Uint32Array(1024);

  constructor({ table, sets, adds, read, named }: Followed, effects: readonly Insert[]) {
    this.table = table;
    this.#keepsKeys = read;
    this.#named = read ? named : -1;
    this.#keyValues = Array.from({ length: read ? table.keyColumns : 0 }, () => new BigInt64List());
    const places = table.columns.map((_, place) => place);
    const fixed = places.filter((place) => !sets.includes(place) && !adds.includes(place));
    const ofKind = ({ columns }: Insert, kind: string): number[] =>
      fixed.filter((place) => columns[place]?.kind === kind);
    this.#effects = effects;
    this.#checked = new Map(
      effects.map((each) => [each, { values: ofKind(each, 'value'), returned: ofKind(each, 'returned') }]),
    );
    this.#returnedCount = Math.max(0, ...[...this.#checked.values()].map(({ returned }) => returned.length));
  }

  get count(): number {
    return this.#sessions.length;
  }

  /** Stores a row; one that may be there already, of an insert where it is missing, once. Returns whether it is a new one. */
  add(effect: Insert, values: Values, record: number, by: InsertedBy): boolean {
    const { columns } = effect;
    const { values: checked, returned } = this.#checked.get(effect) ?? nothing;
    const keys = keysOf(effect, values, record);
    const known = effect.ifMissing ? this.find(keys) : -1;
    if (known !== -1) {
      this.#addAgain(known, by);
      return false;
    }
    const number = this.count;
    this.#place(keys, number, by);
    hash.clear();
    for (const place of checked) {
      const column = columns[place];
      if (column?.kind === 'value') hash.add(column.get(values, record));
    }
    hash.finish();
    this.#contents.push(words[0] ?? nothingAt(0));
    this.#contents.push(words[1] ?? nothingAt(1));
    this.#sessions.push(by.session);
    this.#sequences.push(by.sequence);
    this.#sent.push(by.sentUs);
    this.#settled.push(by.settledUs);
    this.#doubts.push(by.doubt);
    if (this.#effects.length > 1) this.#effectOf.push(this.#effects.indexOf(effect));
    for (let index = 0; index < this.#returnedCount; index += 1) {
      const column = columns[returned[index] ?? -1];
      const field = column?.kind === 'returned' ? column.field : 0;
      this.#returnedWords.push(by.fields?.[field * 2] ?? 0);
      this.#returnedWords.push(by.fields?.[field * 2 + 1] ?? 0);
    }
    this.#addNamed(columns[this.#named], values, record);
    if (this.#keepsKeys) keys.forEach((key, place) => this.#keyValues[place]?.push(bigOf(key)));
    return true;
  }

  /** Another operation that may have inserted the row: it was there when the first of those that did was settled. */
  #addAgain(number: number, by: InsertedBy): void {
    this.#shared.add(number);
    this.#sent.set(number, Math.min(by.sentUs, this.sentUs(number)));
    if (by.doubt !== 0) return;
    this.#settled.set(number, Math.min(by.settledUs, this.settledUs(number)));
    if (!this.inDoubt(number)) return;
    this.#doubts.set(number, 0);
    this.#sessions.set(number, by.session);
    this.#sequences.set(number, by.sequence);
  }

  /** The number of the row with this key; −1 when no operation applied or in doubt inserted it. */
  find(keys: readonly ScalarValue[]): number {
    this.#hashKeys(keys);
    return this.#lookUp(words[0] ?? nothingAt(0), words[1] ?? nothingAt(1));
  }

  /** Compares a row of the database with the inserted one. */
  check(number: number, row: Row): void {
    if (this.#seen.length < this.count) this.#seen = new Uint8Array(this.count);
    if (this.#seen[number] === 1) return this.doubled.add(() => describeRow(this.table, row));
    this.#seen[number] = 1;
    hash.clear();
    const { values, returned } = this.#checkedOf(number);
    for (const place of values) hash.add(row[place] ?? nothingAt(place));
    hash.finish();
    const same = words[0] === this.#contents.at(number * 2) && words[1] === this.#contents.at(number * 2 + 1);
    if (!same || !this.#returnedAgree(number, row, returned)) {
      return this.altered.add(() => `${describeRow(this.table, row)}, ${this.describe(number)}`);
    }
    return undefined;
  }

  seen(number: number): boolean {
    return this.#seen[number] === 1;
  }

  /** Counts applied rows that were not seen and that no operation can have deleted. */
  finish(isGone: (number: number) => boolean): void {
    for (let number = 0; number < this.count; number += 1) {
      if (!this.seen(number) && this.#doubts.at(number) === 0 && !isGone(number)) {
        this.lost.add(() => `a row of ${this.table.name}, ${this.describe(number)}`);
      }
    }
  }

  session(number: number): number {
    return this.#sessions.at(number);
  }

  sequence(number: number): number {
    return this.#sequences.at(number);
  }

  /** The row was not there before. */
  sentUs(number: number): number {
    return this.#sent.at(number);
  }

  /** The row was there from then on, unless another operation deleted it; `neverUs` if only operations in doubt inserted it. */
  settledUs(number: number): number {
    return this.#settled.at(number);
  }

  isBy(number: number, { session, sequence }: { session: number; sequence: number }): boolean {
    return number >= 0 && this.session(number) === session && this.sequence(number) === sequence;
  }

  /** Whether only one operation can have inserted it. */
  isOfOne(number: number): boolean {
    return !this.#shared.has(number);
  }

  inDoubt(number: number): boolean {
    return this.#doubts.at(number) !== 0;
  }

  /** "inserted by operation 17 of session 3" */
  describe(number: number): string {
    return `inserted by operation ${this.sequence(number)} of session ${this.session(number)}`;
  }

  /** The numbers of all rows in the order of their keys; only for tables that operations read. */
  inKeyOrder(): Uint32Array {
    const order = Uint32Array.from({ length: this.count }, (_, number) => number);
    return order.sort((a, b) => {
      for (const values of this.#keyValues) {
        const [left, right] = [values.at(a), values.at(b)];
        if (left !== right) return left < right ? -1 : 1;
      }
      return 0;
    });
  }

  key(number: number): bigint[] {
    return this.#keyValues.map((values) => values.at(number));
  }

  /** What the reply of its insert had for a column; null where the reply did not say, or never came. */
  returned(number: number, column: number): bigint | null {
    const index = this.#checkedOf(number).returned.indexOf(column);
    if (index === -1 || this.inDoubt(number)) return null;
    const at = (number * this.#returnedCount + index) * 2;
    const [high, low] = [this.#returnedWords.at(at), this.#returnedWords.at(at + 1)];
    return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
  }

  /** Whether a read that saw this version of the named column saw the inserted row. */
  isNamed(number: number, high: number, low: number): boolean {
    if (this.inDoubt(number)) return true;
    const [first, second] = [this.#namedWords.at(number * 2), this.#namedWords.at(number * 2 + 1)];
    return (first === high && second === low) || (first === absentWord && second === absentWord);
  }

  #addNamed(column: BoundColumn | undefined, values: Values, record: number): void {
    if (this.#named === -1) return;
    if (column?.kind === 'value') writeVersion(column.get(values, record));
    // Which value the server gave is not known.
    else words.fill(absentWord);
    this.#namedWords.push(words[0] ?? nothingAt(0));
    this.#namedWords.push(words[1] ?? nothingAt(1));
  }

  #checkedOf(number: number): Checked {
    const effect = this.#effects[this.#effects.length > 1 ? this.#effectOf.at(number) : 0];
    return (effect === undefined ? undefined : this.#checked.get(effect)) ?? nothing;
  }

  #returnedAgree(number: number, row: Row, returned: readonly number[]): boolean {
    if (this.inDoubt(number)) return true;
    return returned.every((place, index) => {
      writeVersion(row[place] ?? nothingAt(place));
      const at = (number * this.#returnedCount + index) * 2;
      return words[0] === this.#returnedWords.at(at) && words[1] === this.#returnedWords.at(at + 1);
    });
  }

  #place(keys: readonly ScalarValue[], number: number, by: InsertedBy): void {
    this.#hashKeys(keys);
    const [high = 0, low = 0] = words;
    const other = this.#lookUp(high, low);
    // Only one of two inserts of a key is applied: of one in doubt and another one, the other.
    if (other !== -1 && by.doubt !== 0) this.#hidden.add(number);
    else if (other !== -1 && this.inDoubt(other)) this.#hidden.add(other);
    else if (other !== -1) {
      this.clashing.add(
        () =>
          `${describeRow(this.table, keys)}, by operation ${by.sequence} of session ${by.session}, ${this.describe(other)}`,
      );
    }
    this.#keys.push(high);
    this.#keys.push(low);
    if (number * 2 >= this.#places.length) {
      this.#places = new Uint32Array(this.#places.length * 2);
      for (let earlier = 0; earlier < number; earlier += 1) this.#enter(earlier);
    }
    this.#enter(number);
  }

  #enter(number: number): void {
    if (this.#hidden.has(number)) return;
    const mask = this.#places.length - 1;
    let place = this.#keys.at(number * 2) & mask;
    while (this.#places[place] !== 0 && !this.#hidden.has((this.#places[place] ?? nothingAt(place)) - 1))
      place = (place + 1) & mask;
    this.#places[place] = number + 1;
  }

  #lookUp(high: number, low: number): number {
    const mask = this.#places.length - 1;
    for (let place = high & mask; ; place = (place + 1) & mask) {
      const number = (this.#places[place] ?? nothingAt(place)) - 1;
      if (number === -1) return -1;
      if (this.#hidden.has(number)) continue;
      if (this.#keys.at(number * 2) === high && this.#keys.at(number * 2 + 1) === low) return number;
    }
  }

  #hashKeys(keys: readonly ScalarValue[]): void {
    hash.clear();
    for (let place = 0; place < this.table.keyColumns; place += 1) hash.add(keys[place] ?? nothingAt(place));
    hash.finish();
  }
}
