import {
  type ColumnShape,
  keyOfUuid,
  nullValue,
  type Row,
  type ScalarValue,
  type TableShape,
} from '@fair-bench/contract';

/** PostgreSQL's times are microseconds since 2000. */
const epochUs = 946_684_800_000_000n;
const numericNegative = 0x4000;

/** Signature and flags, and then the length of an extension. */
const headerBytes = 19;
const extensionAt = 15;

/** Reads the rows of a table from COPY's binary format (PostgreSQL's manual, "COPY"), in pieces of any length. */
export class CopiedRows {
  readonly #table: TableShape;
  #rest: Buffer = Buffer.alloc(0);
  #begun = false;
  #ended = false;

  constructor(table: TableShape) {
    this.#table = table;
  }

  /** The rows that end in this piece. Throws for a value that is not of its column's type. */
  take(piece: Buffer): Row[] {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const rows: Row[] = [];
    let at = 0;
    if (!this.#begun && bytes.length >= headerBytes) {
      this.#begun = true;
      at = headerBytes + view.getInt32(extensionAt);
    }
    for (let end = this.#endOf(view, at); end !== null; end = this.#endOf(view, at)) {
      rows.push(this.#row(bytes, view, at));
      at = end;
    }
    this.#rest = bytes.subarray(at);
    return rows;
  }

  /** Throws if the end was not among the pieces. */
  end(): void {
    if (!this.#ended) throw new Error(`${this.#table.name}: the server ended its copy too early`);
  }

  /** The end of the row that begins there; null if it is incomplete, or is the trailer. */
  #endOf(view: DataView, from: number): number | null {
    const { name, columns } = this.#table;
    if (!this.#begun || from + 2 > view.byteLength) return null;
    const fields = view.getInt16(from);
    this.#ended = fields === -1;
    if (this.#ended) return null;
    if (fields !== columns.length) throw new Error(`a row of ${name} has ${fields} columns`);
    let at = from + 2;
    for (let place = 0; place < fields; place += 1) {
      if (at + 4 > view.byteLength) return null;
      at += 4 + Math.max(0, view.getInt32(at));
    }
    return at > view.byteLength ? null : at;
  }

  #row(bytes: Buffer, view: DataView, from: number): Row {
    const { name, columns } = this.#table;
    let at = from + 2;
    return columns.map((column) => {
      const length = view.getInt32(at);
      const value = valueAt(bytes, view, at + 4, length, column);
      if (value === null)
        throw new Error(`${name}.${column.name} is ${length === -1 ? 'null' : 'of another type'}`);
      at += 4 + Math.max(0, length);
      return value;
    });
  }
}

/** Null for SQL's null, and for a value of another type. */
function valueAt(
  bytes: Buffer,
  view: DataView,
  at: number,
  length: number,
  { type, stored, nullable }: ColumnShape,
): ScalarValue | null {
  if (length === -1) return nullable === true ? nullValue : null;
  if (stored?.kind === 'decimal') return numericAt(view, at, stored.scale);
  if (stored?.kind === 'timestamp') return length === 8 ? view.getBigInt64(at) + epochUs : null;
  if (stored?.kind === 'uuid') return keyOfUuid(stored.version, bytes.subarray(at, at + length));
  if (type.kind === 'text') return bytes.toString('utf8', at, at + length);
  if (type.kind === 'bytes') return bytes.subarray(at, at + length);
  if (type.kind === 'bool') return length === 1 ? view.getUint8(at) !== 0 : null;
  if (length !== 8) return null;
  return type.kind === 'int64' ? view.getBigInt64(at) : view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
}

/**
 * A numeric as the whole number of its smallest unit: digits of base 10,000 behind their number, the weight of the first, the sign and
 * the digits after the point (src/backend/utils/adt/numeric.c). Null for one with more digits after the point, and for what is no number.
 */
function numericAt(view: DataView, at: number, scale: number): bigint | null {
  const [count, weight, sign] = [view.getInt16(at), view.getInt16(at + 2), view.getUint16(at + 4)];
  if (sign !== 0 && sign !== numericNegative) return null;
  let units = 0n;
  let rest = 0;
  for (let digit = 0; digit < count; digit += 1) {
    const power = 4 * (weight - digit) + scale;
    const value = view.getInt16(at + 8 + 2 * digit);
    if (power >= 0) units += BigInt(value) * 10n ** BigInt(power);
    else {
      const divisor = 10 ** -power;
      units += BigInt(Math.floor(value / divisor));
      rest += value % divisor;
    }
  }
  if (rest !== 0) return null;
  return sign === numericNegative ? -units : units;
}
