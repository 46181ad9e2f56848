import type { ColumnShape, Row, ScalarValue, TableShape } from '@fair-bench/contract';
import { Cells, fixedBytes, StoredRow } from './cells.ts';
import { bigOf, type ModelRow, type ScanRange } from '@fair-bench/workload/execution';
import type { KeyRange } from './system.ts';

const int64SignBit = 2n ** 63n;

/**
 * How a table's rows are stored, the same for every engine and load client. A row's key is the table's number, one byte, and the
 * columns of its key; its value is the other columns. A column of kind `key` has 4 bytes, an `int64` 8 with its sign bit inverted,
 * a `bool` one; `text` and `bytes` have their length in 4 bytes before them. Integers are big-endian: keys sort as their values do.
 */
export class StoredTable {
  readonly #number: number;
  readonly #keys: readonly ColumnShape[];
  readonly #rest: readonly ColumnShape[];
  /** Where a key is written that is looked up; null where keys differ in length. */
  readonly #lookupKey: Buffer | null;
  readonly #keyCells: Cells;
  readonly #restCells: Cells;
  readonly #stored: StoredRow;

  constructor(number: number, { columns, keyColumns }: TableShape) {
    this.#number = number;
    this.#keys = columns.slice(0, keyColumns);
    this.#rest = columns.slice(keyColumns);
    this.#keyCells = new Cells(this.#keys);
    const isSized = this.#keys.every(({ type }) => fixedBytes[type.kind] !== null);
    this.#lookupKey = isSized ? Buffer.alloc(1 + sizeOf(this.#keys, [], keyColumns), number) : null;
    this.#restCells = new Cells(this.#rest);
    this.#stored = new StoredRow(keyColumns, this.#restCells);
  }

  /** A key, or its first columns. */
  keyOf(key: ModelRow): Uint8Array {
    const width = Math.min(key.length, this.#keys.length);
    const bytes = Buffer.allocUnsafe(1 + sizeOf(this.#keys, key, width));
    bytes[0] = this.#number;
    write(bytes, 1, this.#keys, key, width);
    return bytes;
  }

  /** A whole key, valid until the next call. */
  lookupKeyOf(key: Row): Uint8Array {
    const bytes = this.#lookupKey;
    if (bytes === null) return this.keyOf(key);
    write(bytes, 1, this.#keys, key, this.#keys.length);
    return bytes;
  }

  /** The columns beside the key. One that an operation leaves to the server is null, and stored as nothing or zero. */
  valueOf(row: ModelRow): Uint8Array {
    const rest = row.slice(this.#keys.length);
    const bytes = Buffer.allocUnsafe(sizeOf(this.#rest, rest, this.#rest.length));
    write(bytes, 0, this.#rest, rest, this.#rest.length);
    return bytes;
  }

  /** The row of a key and its value in their bytes; the same object each time. */
  cellsOf(key: Row, value: Uint8Array): StoredRow {
    return this.#stored.of(key, value);
  }

  /** A whole row from its key's columns and its value; copies what it takes of the bytes. */
  rowOf(key: Row, value: Uint8Array): ScalarValue[] {
    const row = key.slice();
    this.#restCells.read(value, 0, row);
    return row;
  }

  rowOfEntry([key, value]: readonly [Uint8Array, Uint8Array]): ScalarValue[] {
    const row: ScalarValue[] = [];
    this.#keyCells.read(key, 1, row);
    this.#restCells.read(value, 0, row);
    return row;
  }

  /** The keys that a scan reads. */
  rangeOf({ from, prefix, descending, limit }: ScanRange): KeyRange {
    const within = this.keyOf(prefix);
    const begin = from.length === 0 ? within : this.keyOf(from);
    return {
      from: descending ? within : begin,
      until: after(descending ? begin : within),
      reverse: descending,
      limit,
    };
  }
}

/** The first key that does not begin with these bytes. */
export function after(prefix: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(prefix);
  let last = bytes.length - 1;
  while (last > 0 && bytes[last] === 0xff) last -= 1;
  bytes[last] = (bytes[last] ?? 0) + 1;
  return bytes.subarray(0, last + 1);
}

function sizeOf(columns: readonly ColumnShape[], values: ModelRow, width: number): number {
  let size = 0;
  for (let place = 0; place < width; place += 1) {
    const value = values[place];
    const fixed = fixedBytes[columns[place]?.type.kind ?? 'bytes'];
    size += fixed ?? 4 + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0);
  }
  return size;
}

function write(
  bytes: Buffer,
  from: number,
  columns: readonly ColumnShape[],
  values: ModelRow,
  width: number,
): void {
  let at = from;
  for (let place = 0; place < width; place += 1) {
    const value = values[place] ?? 0;
    const kind = columns[place]?.type.kind;
    if (kind === 'key') at = bytes.writeUInt32BE(Number(value), at);
    else if (kind === 'int64')
      at = bytes.writeBigUInt64BE(BigInt.asUintN(64, bigOf(value) + int64SignBit), at);
    else if (kind === 'bool') at = bytes.writeUInt8(value === true ? 1 : 0, at);
    else at = writeBytes(bytes, at, value);
  }
}

function writeBytes(bytes: Buffer, at: number, value: ScalarValue): number {
  if (typeof value === 'string') {
    const length = bytes.write(value, at + 4, 'latin1');
    bytes.writeUInt32BE(length, at);
    return at + 4 + length;
  }
  const own = value instanceof Uint8Array ? value : new Uint8Array(0);
  bytes.set(own, bytes.writeUInt32BE(own.length, at));
  return at + 4 + own.length;
}
