import type { ColumnShape, Row, ScalarValue, StoredCells } from '@fair-bench/contract';

type Kind = ColumnShape['type']['kind'];

export const fixedBytes: Readonly<Record<Kind, number | null>> = {
  key: 4,
  int64: 8,
  bool: 1,
  text: null,
  bytes: null,
};
const lengthBytes = 4;

interface Cell {
  readonly kind: Kind;
  /** Whether all values have so many bytes; otherwise their length stands before them. */
  readonly isSized: boolean;
  /** From the first column on. */
  readonly begin: number;
  readonly end: number;
}

/** Finds columns where the last row had them, as long as its texts and bytes are as long: nearly always. */
export class Cells {
  readonly #kinds: readonly Kind[];
  readonly #hasTexts: boolean;
  #last: readonly Cell[] = [];
  #end = Number.POSITIVE_INFINITY;

  constructor(columns: readonly ColumnShape[]) {
    this.#kinds = columns.map(({ type }) => type.kind);
    this.#hasTexts = this.#kinds.includes('text');
  }

  /** Of a row of `length` bytes from `from` on. They may go on behind it: an engine may give a buffer that it uses again for longer rows. */
  find(view: DataView, from: number, length: number): readonly Cell[] {
    if (length < this.#end) return this.#measured(view, from, length);
    for (const { isSized, begin, end } of this.#last) {
      if (!isSized && view.getInt32(from + begin - lengthBytes) !== end - begin)
        return this.#measured(view, from, length);
    }
    return this.#last;
  }

  /** Appends the values to a row. */
  read(source: Uint8Array, from: number, row: ScalarValue[]): void {
    const view = viewOf(source);
    const first = source.byteOffset + from;
    const cells = this.find(view, first, source.length - from);
    // Of the whole row at once: a call for each text costs more than the rest of the row.
    const texts = this.#hasTexts ? latin1Of(source, from, from + this.#end) : '';
    for (const { kind, begin, end } of cells) {
      if (kind === 'text') row.push(texts.slice(begin, end));
      else if (kind === 'bytes') row.push(Uint8Array.from(source.subarray(from + begin, from + end)));
      else row.push(valueAt(view, kind, first + begin));
    }
  }

  #measured(view: DataView, from: number, length: number): readonly Cell[] {
    let at = 0;
    this.#last = this.#kinds.map((kind): Cell => {
      const fixed = fixedBytes[kind];
      const begin = fixed === null ? at + lengthBytes : at;
      at = begin + (fixed ?? view.getUint32(from + at));
      return { kind, isSized: fixed !== null, begin, end: at };
    });
    this.#end = at;
    if (at > length) throw new RangeError(`a row of ${at} bytes, got ${length}`);
    return this.#last;
  }
}

/** A row whose columns beside the key are not read yet. */
export class StoredRow implements StoredCells {
  readonly #keyColumns: number;
  readonly #rest: Cells;
  #key: Row = [];
  #value: Uint8Array = new Uint8Array(0);
  #cells: readonly Cell[] = [];
  #from = 0;
  view: DataView = new DataView(new ArrayBuffer(0));

  constructor(keyColumns: number, rest: Cells) {
    this.#keyColumns = keyColumns;
    this.#rest = rest;
  }

  /** Stands for this row from now on. */
  of(key: Row, value: Uint8Array): this {
    this.#key = key;
    this.#value = value;
    this.#from = value.byteOffset;
    this.view = viewOf(value);
    this.#cells = this.#rest.find(this.view, this.#from, value.length);
    return this;
  }

  get width(): number {
    return this.#keyColumns + this.#cells.length;
  }

  begin(place: number): number {
    return this.#from + (this.#cells[place - this.#keyColumns]?.begin ?? 0);
  }

  length(place: number): number {
    const cell = this.#cells[place - this.#keyColumns];
    return cell === undefined ? 0 : cell.end - cell.begin;
  }

  value(place: number): ScalarValue {
    const cell = this.#cells[place - this.#keyColumns];
    return cell === undefined
      ? (this.#key[place] ?? 0)
      : valueAt(this.view, cell.kind, this.#from + cell.begin);
  }

  /** With all values. */
  row(): ScalarValue[] {
    const row = this.#key.slice();
    this.#rest.read(this.#value, 0, row);
    return row;
  }
}

let viewLast: DataView = new DataView(new ArrayBuffer(0));

/** Of the whole buffer, which many rows have in common. */
function viewOf({ buffer }: Uint8Array): DataView {
  if (viewLast.buffer !== buffer) viewLast = new DataView(buffer);
  return viewLast;
}

function latin1Of(source: Uint8Array, from: number, until: number): string {
  const bytes = Buffer.isBuffer(source)
    ? source
    : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  return bytes.toString('latin1', from, until);
}

const int64SignWord = 0x8000_0000;
/** Made once: counters and amounts are small. */
const smallIntegers = Array.from({ length: 256 }, (_, value) => BigInt(value));

function valueAt(view: DataView, kind: Kind, at: number): ScalarValue {
  if (kind === 'key') return view.getUint32(at);
  if (kind === 'bool') return view.getUint8(at) === 1;
  const high = view.getInt32(at) ^ int64SignWord;
  const low = view.getInt32(at + 4);
  const small = high === 0 && low >= 0 ? smallIntegers[low] : undefined;
  return small ?? (BigInt(high) << 32n) | BigInt(low >>> 0);
}
