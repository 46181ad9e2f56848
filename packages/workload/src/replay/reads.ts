import { nothingAt } from '../nothing-at.ts';
import type { ScalarValue } from '@fair-bench/contract';
import { bigOf, type BoundOperation, type BoundReturns, evaluate } from './bind.ts';
import { Mismatches } from './growing.ts';
import { describeRow, inRange } from './reply-check.ts';
import { compareKeys } from '../store.ts';
import { versionColumn } from './rows.ts';
import { ServerValues } from './server-values.ts';
import type { Replayed, SessionReplay } from './session-replay.ts';
import type { TableState } from './table-state.ts';
import type { Trial } from './trial.ts';
import { absentWord, words } from './version.ts';

type Scan = Extract<BoundReturns, { kind: 'scan' }>;

/** Judges the results of reads and scans, once every effect of the trial is known. */
export class Reads {
  readonly invented = new Mismatches('reads of a row that nobody inserted');
  readonly outside = new Mismatches('reads of a sum that no state of the trial has');
  readonly skipped = new Mismatches('scans that left out an existing row');
  readonly early = new Mismatches('rows returned as known at a time at which they were not yet recorded');
  readonly other = new Mismatches('reads of a row with the content of another');
  readonly #trial: Trial;
  readonly #server: ServerValues;
  /** By table, inserted rows in the order of their keys. */
  readonly #orders = new Map<number, Uint32Array>();

  constructor(trial: Trial) {
    this.#trial = trial;
    this.#server = new ServerValues(trial);
  }

  judge(replayed: Replayed, { returns }: BoundOperation, replay: SessionReplay): void {
    this.#server.judge(replayed, replay);
    if (returns.kind === 'row') this.#row(replayed, returns, replay);
    if (returns.kind === 'scan') this.#scan(replayed, returns, replay);
  }

  #row(
    replayed: Replayed,
    { table, keys, by }: Extract<BoundReturns, { kind: 'row' }>,
    replay: SessionReplay,
  ): void {
    const at = replay.readAt(replayed.sequence);
    const state = this.#trial.tables[table.number];
    if (at === -1 || state === undefined) return;
    words[0] = replay.log.reads[at] ?? nothingAt(at);
    words[1] = replay.log.reads[at + 1] ?? nothingAt(at + 1);
    const there = words[0] !== absentWord || words[1] !== absentWord;
    const key = evaluate(keys, replayed.values);
    if (by === null) return this.#saw(state, key, there, replayed, replayed.sequence);
    const id = bigOf(key[0] ?? nothingAt(0));
    const row = this.#server.rowOf(table.number, by, id);
    // Before the session's first reply it asks for a row that nobody has.
    if (row === -1 && !there) return undefined;
    if (row === -1) {
      const name = table.columns[by]?.name;
      return this.invented.add(() => `${table.name} with the ${name} ${id}, ${nameOf(replayed)}`);
    }
    return this.#sawRow(state, row, there, replayed, replayed.sequence);
  }

  /** A row of which `words` is the version that was seen. */
  #saw(
    state: TableState,
    keys: readonly ScalarValue[],
    there: boolean,
    replayed: Replayed,
    turn: number,
  ): void {
    const [high = 0, low = 0] = words;
    const row = state.rowOf(keys);
    words[0] = high;
    words[1] = low;
    if (row !== -1) return this.#sawRow(state, row, there, replayed, turn);
    if (there) this.invented.add(() => `${describeRow(state.followed.table, keys)}, ${nameOf(replayed)}`);
    return undefined;
  }

  /** The same, of a row that is known. */
  #sawRow(state: TableState, row: number, there: boolean, replayed: Replayed, turn: number): void {
    const { sets, named, table } = state.followed;
    const [high = 0, low = 0] = words;
    const column = versionColumn(state.followed, turn);
    this.#trial.presence(state, row, there, replayed);
    if (!there || column === -1) return;
    if (column === named) {
      const number = row - table.rows;
      if (number < 0 || state.inserted.isNamed(number, high, low)) return;
      return this.other.add(() => `${state.describe(row, column)}, ${nameOf(replayed)}`);
    }
    if (!sets.includes(column))
      return this.#sum(state, row, column, (BigInt(high) << 32n) | BigInt(low), replayed);
    words[0] = high;
    words[1] = low;
    this.#trial.cells.read(state.cell(row, column), words, replayed.sentUs, replayed.settledUs);
    return undefined;
  }

  #sum(state: TableState, row: number, column: number, word: bigint, replayed: Replayed): void {
    const value = BigInt.asIntN(64, word);
    const initial = state.initial(column, row);
    const [taken, given] = state.sums.get(column)?.range(row) ?? [0n, 0n];
    if (value >= initial + taken && value <= initial + given) return;
    const { table } = state.followed;
    this.outside.add(
      () =>
        `${table.name}.${table.columns[column]?.name} of row ${row} is ${value}, outside ${initial + taken} to ${initial + given}, ${nameOf(replayed)}`,
    );
  }

  #scan(replayed: Replayed, scan: Scan, replay: SessionReplay): void {
    const start = replay.scanAt(replayed.sequence);
    const state = this.#trial.tables[scan.table.number];
    if (start === -1 || state === undefined) return;
    const { scans } = replay.log;
    const perRow = 2 + 2 * scan.table.keyColumns;
    const count = (scans[start - 1] ?? nothingAt(start - 1)) / perRow;
    const returned = new Set<number>();
    let keys: ScalarValue[] = [];
    for (let index = 0; index < count; index += 1) {
      const at = start + index * perRow;
      keys = keysAt(scan, scans, at);
      const row = state.rowOf(keys);
      returned.add(row);
      this.#known(state, row, scan, replayed);
      words[0] = scans[at + perRow - 2] ?? nothingAt(at + perRow - 2);
      words[1] = scans[at + perRow - 1] ?? nothingAt(at + perRow - 1);
      this.#saw(state, keys, true, replayed, replayed.sequence + index);
    }
    if (!scan.complete || !state.followed.inserted) return;
    const full = count >= Number(scan.limit(replayed.values, 0));
    this.#complete(state, scan, replayed, returned, full ? keys : null);
  }

  /** Every inserted row up to the last returned one (`null`: up to the end) that was acknowledged before. */
  #complete(
    state: TableState,
    { table, from, prefix, descending, until }: Scan,
    replayed: Replayed,
    returned: ReadonlySet<number>,
    last: readonly ScalarValue[] | null,
  ): void {
    const { inserted } = state;
    const order = this.#orderOf(state);
    const [first, begin] = [evaluate(prefix, replayed.values), evaluate(from, replayed.values)];
    const step = descending ? -1 : 1;
    const bound = first.length > 0 ? [...first, ...begin.slice(first.length)] : begin;
    let place = startOf(order, bound, (number) => inserted.key(number), descending);
    for (; place >= 0 && place < order.length; place += step) {
      const number = order[place] ?? nothingAt(place);
      const keys = inserted.key(number);
      if (!inRange(keys, first, begin, descending)) break;
      if (last !== null && compareKeys(keys, last, table.keyColumns) * step > 0) break;
      if (returned.has(table.rows + number)) continue;
      if (until !== null && !isKnown(inserted.returned(number, until.column), until.at(replayed.values, 0)))
        continue;
      if (inserted.settledUs(number) >= replayed.sentUs) continue;
      this.skipped.add(
        () => `${describeRow(table, keys)}, ${inserted.describe(number)}; ${nameOf(replayed)}`,
      );
    }
  }

  /** A row that a scan returned as known at a time was recorded until then. */
  #known(state: TableState, row: number, { until, table }: Scan, replayed: Replayed): void {
    if (until === null || row < table.rows) return;
    const time = state.inserted.returned(row - table.rows, until.column);
    const at = bigOf(until.at(replayed.values, 0));
    if (time === null || isKnown(time, at)) return;
    this.early.add(
      () => `${state.describe(row, until.column)} is ${time}, as known at ${at}, ${nameOf(replayed)}`,
    );
  }

  #orderOf(state: TableState): Uint32Array {
    const { number } = state.followed.table;
    const known = this.#orders.get(number);
    if (known !== undefined) return known;
    const order = state.inserted.inKeyOrder();
    this.#orders.set(number, order);
    return order;
  }

  get mismatches(): Mismatches[] {
    return [this.invented, this.outside, this.skipped, this.early, this.other, ...this.#server.mismatches];
  }
}

/** Whether a row of this time, which may not be known, was there at another. */
function isKnown(time: bigint | null, at: ScalarValue): boolean {
  return time !== null && time <= bigOf(at);
}

function keysAt({ table }: Scan, scans: Uint32Array, at: number): ScalarValue[] {
  return Array.from({ length: table.keyColumns }, (_, place) => {
    const high = scans[at + place * 2] ?? nothingAt(at + place * 2);
    const low = scans[at + place * 2 + 1] ?? nothingAt(at + place * 2 + 1);
    if (table.columns[place]?.type.kind !== 'int64') return low;
    return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
  });
}

/** The place in `order` of the first key in range, seen in the direction of the scan. */
function startOf(
  order: Uint32Array,
  bound: readonly ScalarValue[],
  keyOf: (number: number) => bigint[],
  descending: boolean,
): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const compared = compareKeys(keyOf(order[middle] ?? nothingAt(middle)), bound, bound.length);
    if (descending ? compared > 0 : compared >= 0) high = middle;
    else low = middle + 1;
  }
  return descending ? low - 1 : low;
}

function nameOf({ session, sequence }: Replayed): string {
  return `read by operation ${sequence} of session ${session}`;
}
