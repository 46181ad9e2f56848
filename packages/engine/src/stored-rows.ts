import type { ColumnShape, Row, ScalarValue, TableShape } from '@fair-bench/contract';
import { bigOf, type ModelRow, type ScanRange } from '@fair-bench/workload';
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

  constructor(number: number, { columns, keyColumns }: TableShape) {
    this.#number = number;
    this.#keys = columns.slice(0, keyColumns);
    this.#rest = columns.slice(keyColumns);
  }

  /** A key, or its first columns. */
  keyOf(key: ModelRow): Uint8Array {
    const width = Math.min(key.length, this.#keys.length);
    const bytes = Buffer.allocUnsafe(1 + sizeOf(this.#keys, key, width));
    bytes[0] = this.#number;
    write(bytes, 1, this.#keys, key, width);
    return bytes;
  }

  /** The columns beside the key. One that an operation leaves to the server is null, and stored as nothing or zero. */
  valueOf(row: ModelRow): Uint8Array {
    const rest = row.slice(this.#keys.length);
    const bytes = Buffer.allocUnsafe(sizeOf(this.#rest, rest, this.#rest.length));
    write(bytes, 0, this.#rest, rest, this.#rest.length);
    return bytes;
  }

  /** A whole row from its key's columns and its value; copies what it takes of the bytes. */
  rowOf(key: Row, value: Uint8Array): ScalarValue[] {
    const row = key.slice();
    read(value, 0, this.#rest, row);
    return row;
  }

  rowOfEntry([key, value]: readonly [Uint8Array, Uint8Array]): ScalarValue[] {
    const row: ScalarValue[] = [];
    read(key, 1, this.#keys, row);
    read(value, 0, this.#rest, row);
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

const fixedBytes: Readonly<Record<Kind, number | null>> = {
  key: 4,
  int64: 8,
  bool: 1,
  text: null,
  bytes: null,
};
type Kind = ColumnShape['type']['kind'];

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

/** Appends the values to a row. */
function read(source: Uint8Array, from: number, columns: readonly ColumnShape[], row: ScalarValue[]): void {
  const bytes = Buffer.isBuffer(source)
    ? source
    : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  // Of the whole row at once: a call for each text costs more than the rest of the row.
  let texts: string | null = null;
  let at = from;
  for (const { type } of columns) {
    const until = endOf(bytes, at, type.kind);
    if (type.kind === 'text') {
      texts ??= bytes.toString('latin1', from, endOfRow(bytes, from, columns));
      row.push(texts.slice(at + 4 - from, until - from));
    } else row.push(valueAt(bytes, type.kind, at, until));
    at = until;
  }
}

/** The bytes may go on behind the row: an engine may give a buffer that it uses again for longer rows. */
function endOfRow(bytes: Buffer, from: number, columns: readonly ColumnShape[]): number {
  return columns.reduce((at, { type }) => endOf(bytes, at, type.kind), from);
}

function endOf(bytes: Buffer, at: number, kind: Kind): number {
  return at + (fixedBytes[kind] ?? 4 + bytes.readUInt32BE(at));
}

function valueAt(bytes: Buffer, kind: Exclude<Kind, 'text'>, at: number, until: number): ScalarValue {
  if (kind === 'key') return bytes.readUInt32BE(at);
  if (kind === 'int64') return BigInt.asIntN(64, bytes.readBigUInt64BE(at) - int64SignBit);
  if (kind === 'bool') return bytes[at] === 1;
  return Uint8Array.from(bytes.subarray(at + 4, until));
}
