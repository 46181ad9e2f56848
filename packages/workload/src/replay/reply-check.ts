import { nothingAt } from '../nothing-at.ts';
import type { Reply, Row, ScalarValue, StoredCells, Values } from '@fair-bench/contract';
import { bytesLengthNaming, textLengthNaming, type ContentPool } from '../draw/content.ts';
import { mayChange, type PlannedWorkload, type ResolvedColumn, type ResolvedTable } from '../resolved.ts';
import {
  createSeededCells,
  createSeededChecks,
  equalValues,
  type IsSeeded,
  type SeededCell,
  seededKey,
} from '../seeded.ts';
import { compareKeys } from '../store.ts';
import { poolOf } from '../supplies.ts';
import { type BoundReply, type BoundReturns, evaluate } from './bind.ts';
import { seededRow } from './rows.ts';

type Scan = Extract<BoundReturns, { kind: 'scan' }>;

/**
 * Rows that no operation writes, and that another connection changes while the load reads them: each gets the value that
 * another seeded row has in the column.
 */
export interface ChangedRows {
  readonly table: number;
  readonly column: number;
  /** The number of each row, and of the one whose value it gets. */
  readonly rows: readonly (readonly [row: number, like: number])[];
}

/**
 * What every reply must satisfy: the right keys in order, within the range and the limit, no seeded row left out,
 * every cell of its type and untorn, unwritten columns as they were seeded. Of a row's texts and bytes one is
 * checked, in turn: ten of 100 characters would cost more than the rest of the client's work.
 */
export class ReplyCheck {
  readonly name: string;
  /** Of workloads with texts or bytes: drawing it takes as long as starting a process. */
  readonly #pool: ContentPool | null;
  readonly #seeded: SeededCell;
  /** The same for rows in their bytes, by table and column. */
  readonly #isSeeded: readonly (readonly IsSeeded[])[];
  /** By table, its columns that are neither in the key nor text nor bytes. */
  readonly #plain: readonly (readonly number[])[];
  /** By table, whether all its rows stay as they were seeded. */
  readonly #isFixed: readonly boolean[];
  /** By table, its columns of text and bytes. */
  readonly #contents: readonly (readonly number[])[];
  readonly #changed: ChangedRows | null;
  /** By number of a changed row, the row whose value it gets. */
  readonly #likes: ReadonlyMap<number, number>;
  /** Whether a row had the value of its change since `takeChange`. */
  #sawChange = false;

  /** `changed`: rows that another connection changes meanwhile, of a table that no operation writes; each may have either value. */
  constructor(workload: PlannedWorkload, changed: ChangedRows | null = null) {
    this.name = workload.name;
    this.#changed = changed;
    this.#likes = new Map(changed?.rows);
    const all = workload.tables.flatMap(({ columns }) => columns);
    const hasContent = all.some(isContent);
    this.#pool = hasContent ? poolOf(workload.seed) : null;
    this.#seeded = createSeededCells(workload);
    this.#isSeeded = createSeededChecks(workload);
    this.#plain = workload.tables.map(({ columns, keyColumns }) =>
      columns.flatMap((column, place) => (place < keyColumns || isContent(column) ? [] : [place])),
    );
    this.#contents = workload.tables.map(contentColumns);
    this.#isFixed = workload.tables.map((table) => !mayChange(workload, table));
  }

  /** What is wrong with the reply of an applied operation, or null. */
  mistake(
    { operation, returns }: BoundReply,
    values: Values,
    reply: Reply | null,
    sequence: number,
  ): string | null {
    if (returns.kind === 'nothing') return null;
    if (returns.kind === 'fields') {
      const got = reply?.kind === 'fields' ? reply.fields.length : 0;
      return got === returns.count ? null : `${operation.name}: ${returns.count} fields expected, got ${got}`;
    }
    if (returns.kind === 'records') return recordsMistake(operation, reply, returns.count);
    if (reply?.kind !== 'rows') return `${operation.name}: rows expected, got ${reply?.kind ?? 'no reply'}`;
    if (reply.stored !== undefined && this.#isSeededRow(returns, values, reply.stored, sequence)) return null;
    let turn = sequence;
    for (const row of reply.rows) {
      const mistake = this.rowMistake(returns.table, row, turn);
      if (mistake !== null) return `${operation.name}: ${mistake}`;
      turn += 1;
    }
    const mistake =
      returns.kind === 'row'
        ? rowMistake(returns, values, reply.rows)
        : returns.kind === 'scan'
          ? scanMistake(returns, values, reply.rows)
          : null;
    return mistake === null ? null : `${operation.name}: ${mistake}`;
  }

  /** Whether a row that stays as it was seeded is the requested one and right: then `mistake` finds nothing in its values. */
  #isSeededRow(returns: BoundReturns, values: Values, cells: StoredCells, turn: number): boolean {
    if (returns.kind !== 'row' || returns.by !== null) return false;
    const { keys, table } = returns;
    const { columns, extents, keyColumns, number: place } = table;
    if (this.#isFixed[place] !== true || cells.width !== columns.length) return false;
    let number = 0;
    for (let column = 0; column < keyColumns; column += 1) {
      const key = cells.value(column);
      const extent = extents[column] ?? nothingAt(column);
      if (
        typeof key !== 'number' ||
        !(key >>> 0 === key && key < extent) ||
        key !== keys[column]?.(values, 0)
      )
        return false;
      number = number * extent + key;
    }
    const checks = this.#isSeeded[place] ?? nothingAt(place);
    for (const column of this.#plain[place] ?? nothingAt(place))
      if (checks[column]?.(number, cells) !== true) return false;
    const chosen = this.#contentInTurn(table, turn);
    return chosen === -1 || checks[chosen]?.(number, cells) === true;
  }

  /** What is wrong with a row in itself; with a `turn`, only one of its texts and bytes is read. */
  rowMistake(table: ResolvedTable, row: Row, turn: number | null = null): string | null {
    if (row.length !== table.columns.length) {
      return `a row of ${table.name} has ${row.length} columns, not ${table.columns.length}`;
    }
    const number = seededRow(table, row);
    const isFixed = turn !== null && this.#isFixed[table.number] === true;
    if (number === -1 && isFixed) return `${describeRow(table, row)} was never inserted`;
    const chosen = turn === null ? -1 : this.#contentInTurn(table, turn);
    for (let place = table.keyColumns; place < row.length; place += 1) {
      const value = row[place] ?? nothingAt(place);
      const column = table.columns[place];
      if (column === undefined) continue;
      const { kind } = column.type;
      if (!isOfType(value, kind))
        return `${describeRow(table, row)}: ${column.name} is not of type ${kind}: ${shown(value)}`;
      if (turn !== null && place !== chosen && isContent(column)) continue;
      if (number !== -1 && (isFixed || !(column.set || column.added))) {
        if (equalValues(value, this.#seeded(table.number, place, number))) continue;
        if (isFixed && this.#isChanged(table, place, number, value)) continue;
        return `${describeRow(table, row)}: ${column.name} is ${shown(value)}, and was never written`;
      }
      const mistake = lengthMistake(value, column);
      if (mistake !== null) return `${describeRow(table, row)}: ${column.name} ${mistake}`;
      const torn = this.#torn(value, column.set || number === -1 ? kind : '');
      if (torn) return `${describeRow(table, row)}: ${column.name} is torn: ${shown(value)}`;
    }
    return null;
  }

  /** Whether a row of the last replies had the value of its change; forgets it. */
  takeChange(): boolean {
    const saw = this.#sawChange;
    this.#sawChange = false;
    return saw;
  }

  #isChanged({ number }: ResolvedTable, place: number, row: number, value: ScalarValue): boolean {
    const like = this.#likes.get(row);
    if (like === undefined || this.#changed?.table !== number || this.#changed.column !== place) return false;
    if (!equalValues(value, this.#seeded(number, place, like))) return false;
    this.#sawChange = true;
    return true;
  }

  #contentInTurn({ number }: ResolvedTable, turn: number): number {
    return contentInTurn(this.#contents[number] ?? nothingAt(number), turn);
  }

  /** Whether text or bytes that should name their writer do not. */
  #torn(value: ScalarValue, kind: string): boolean {
    if (kind === 'text' && typeof value === 'string') {
      return value.length >= textLengthNaming && this.#pool?.originOfText(value) === null;
    }
    return (
      value instanceof Uint8Array &&
      value.length >= bytesLengthNaming &&
      this.#pool?.originOfBytes(value) === null
    );
  }
}

function recordsMistake(
  { name }: BoundReply['operation'],
  reply: Reply | null,
  count: number,
): string | null {
  if (reply?.kind !== 'rows') return `${name}: rows expected, got ${reply?.kind ?? 'no reply'}`;
  const wrong = reply.rows.find(({ length }) => length !== count);
  return wrong === undefined ? null : `${name}: ${count} fields expected, got ${wrong.length}`;
}

export function isContent({ type: { kind } }: ResolvedColumn): boolean {
  return kind === 'text' || kind === 'bytes';
}

/** A table's columns of text and bytes. */
export function contentColumns({ columns }: ResolvedTable): number[] {
  return columns.flatMap((column, place) => (isContent(column) ? [place] : []));
}

/** The one of these columns that is checked of a row which the operation of this number returns; −1 without any. */
export function contentInTurn(places: readonly number[], turn: number): number {
  return places.length === 0 ? -1 : (places[turn % places.length] ?? -1);
}

function isOfType(value: ScalarValue, kind: string): boolean {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'int64') return typeof value === 'bigint';
  if (kind === 'key') return typeof value === 'number' && value >>> 0 === value;
  return kind === 'bool' ? typeof value === 'boolean' : value instanceof Uint8Array;
}

/** What is set has the length of its column: a shorter value that names its writer all the same is not what was sent. */
function lengthMistake(value: ScalarValue, { set, type }: ResolvedColumn): string | null {
  if (!set || !('length' in type) || (typeof value !== 'object' && typeof value !== 'string')) return null;
  return value.length === type.length
    ? null
    : `has a length of ${value.length}, not ${type.length}: ${shown(value)}`;
}

/** "account (17)" */
export function describeRow(table: ResolvedTable, row: readonly ScalarValue[]): string {
  return `${table.name} (${row.slice(0, table.keyColumns).join(', ')})`;
}

export function shown(value: ScalarValue): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function rowMistake(
  { table, by, keys }: Extract<BoundReturns, { kind: 'row' }>,
  values: Values,
  rows: readonly Row[],
): string | null {
  const [row] = rows;
  if (rows.length > 1) return `${rows.length} rows for one key`;
  if (by !== null) {
    const key = keys[0]?.(values, 0);
    if (row === undefined || row[by] === key) return null;
    return `requested ${table.name} with the ${table.columns[by]?.name} ${shown(key ?? 0)}, got ${describeRow(table, row)}`;
  }
  if (row !== undefined && keys.every((get, place) => get(values, 0) === row[place])) return null;
  const requested = evaluate(keys, values);
  if (row !== undefined) {
    if (compareKeys(row, requested, table.keyColumns) === 0) return null;
    return `requested ${describeRow(table, requested)}, got ${describeRow(table, row)}`;
  }
  return seededRow(table, requested) === -1 ? null : `${describeRow(table, requested)} is missing`;
}

function scanMistake(scan: Scan, values: Values, rows: readonly Row[]): string | null {
  const { table, descending, complete } = scan;
  const limit = Number(scan.limit(values, 0));
  if (rows.length > limit) return `${rows.length} rows, more than the limit of ${limit}`;
  const prefix = evaluate(scan.prefix, values);
  const from = evaluate(scan.from, values);
  let expected = complete ? firstSeeded(table, prefix, from, descending) : -1;
  let before: Row | undefined;
  for (const row of rows) {
    const order = before === undefined ? 0 : compareKeys(before, row, table.keyColumns);
    if (before !== undefined && (descending ? -order : order) >= 0)
      return `${describeRow(table, row)} is out of order`;
    if (!inRange(row, prefix, from, descending)) return `${describeRow(table, row)} is out of range`;
    before = row;
    if (expected === -1) continue;
    const number = seededRow(table, row);
    if (number === expected) expected = nextSeeded(table, expected, prefix, descending);
    else if (passed(table, expected, row, descending)) return `row ${expected} of ${table.name} is left out`;
  }
  if (rows.length < limit && expected !== -1) return `ends before row ${expected} of ${table.name}`;
  return null;
}

/** Whether a key is beyond a seeded row in the order of the scan. */
function passed(table: ResolvedTable, seeded: number, row: Row, descending: boolean): boolean {
  const order = compareKeys(row, seededKey(table, seeded), table.keyColumns);
  return descending ? order < 0 : order > 0;
}

export function inRange(
  row: readonly ScalarValue[],
  prefix: readonly ScalarValue[],
  from: readonly ScalarValue[],
  descending: boolean,
): boolean {
  if (compareKeys(row, prefix, prefix.length) !== 0) return false;
  const order = compareKeys(row, from, from.length);
  return descending ? order <= 0 : order >= 0;
}

/** The number of the first seeded row that a scan must return; −1 when none is in its range. */
function firstSeeded(
  table: ResolvedTable,
  prefix: readonly ScalarValue[],
  from: readonly ScalarValue[],
  descending: boolean,
): number {
  let low = 0;
  let high = table.rows - 1;
  // Keys of seeded rows ascend with their numbers: bisect for the first one in range.
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const keys = seededKey(table, middle);
    const ordered = compareKeys(keys, prefix, prefix.length) || compareKeys(keys, from, from.length);
    if (descending ? ordered > 0 : ordered >= 0) high = middle - 1;
    else low = middle + 1;
  }
  const first = descending ? high : low;
  const valid = first >= 0 && first < table.rows;
  return valid && inRange(seededKey(table, first), prefix, from, descending) ? first : -1;
}

function nextSeeded(
  table: ResolvedTable,
  row: number,
  prefix: readonly ScalarValue[],
  descending: boolean,
): number {
  const next = descending ? row - 1 : row + 1;
  if (next < 0 || next >= table.rows) return -1;
  return compareKeys(seededKey(table, next), prefix, prefix.length) === 0 ? next : -1;
}
