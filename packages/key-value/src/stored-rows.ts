import type { ColumnShape, Row, ScalarValue, TableShape } from '@fair-bench/contract';

/** Everything of ours in a store begins with it: nothing else is read or removed. */
const ourPrefix = 'fair_bench:';

/** A row as a store has it. */
export interface StoredRow {
  readonly key: string;
  /** By name; texts. */
  readonly fields: readonly (readonly [name: string, text: string])[];
  /** Where the keys of its table are kept in order: the name of that set, and the row's place in it. */
  readonly order: { readonly set: string; readonly member: string } | null;
}

const int64Bias = 2n ** 63n;
/** For a table of nothing but its key. */
const markField = '_';

/** How a table's rows are stored: a key `fair_bench:WORKLOAD:TABLE:KEY`, whose texts sort as the values do, and a field per column. */
export class StoredTable {
  readonly prefix: string;
  /** The set of its keys in order, where an operation scans it. */
  readonly orderSet: string | null;
  /** The names of the fields: the columns that are not in the key. */
  readonly fields: readonly string[];
  readonly #keys: readonly ColumnShape[];
  readonly #rest: readonly ColumnShape[];

  constructor(workload: string, { name, columns, keyColumns }: TableShape, isScanned: boolean) {
    this.prefix = `${ourPrefix}${workload}:${name}:`;
    this.orderSet = isScanned ? `${ourPrefix}${workload}-order:${name}` : null;
    this.#keys = columns.slice(0, keyColumns);
    this.#rest = columns.slice(keyColumns);
    this.fields = this.#rest.length === 0 ? [markField] : this.#rest.map((column) => column.name);
  }

  /** The text of a key, or of its first columns: it sorts as the values do. */
  memberOf(key: Row): string {
    return key.map((value, place) => sortedText(value, this.#keys[place])).join(':');
  }

  keyOf(key: Row): string {
    return `${this.prefix}${this.memberOf(key)}`;
  }

  /** A whole row; a column that an operation leaves to the server is null. */
  stored(row: readonly (ScalarValue | null)[]): StoredRow {
    const key = row.slice(0, this.#keys.length).map((value) => value ?? 0);
    const member = this.memberOf(key);
    const rest = row.slice(this.#keys.length);
    return {
      key: `${this.prefix}${member}`,
      fields: this.fields.map((name, place) => [name, textOf(rest[place] ?? 0)]),
      order: this.orderSet === null ? null : { set: this.orderSet, member },
    };
  }

  /** A row from its key and its fields. Throws for a text that is no value of its column. */
  rowOf(key: string, fields: readonly string[]): Row {
    const parts = key.slice(this.prefix.length).split(':');
    const keys = this.#keys.map((column, place) => {
      const text = BigInt(parts[place] ?? '');
      return column.type.kind === 'int64' ? text - int64Bias : Number(text);
    });
    return [...keys, ...this.#rest.map((column, place) => valueOf(fields[place] ?? '', column))];
  }
}

/** A value as text; integers in decimals. Throws a RangeError for an integer beyond 64 bits. */
export function textOf(value: ScalarValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) {
    throw new RangeError(`${value} does not fit into 64 bits`);
  }
  return String(value);
}

function valueOf(text: string, { type }: ColumnShape): ScalarValue {
  if (type.kind === 'int64') return BigInt(text);
  if (type.kind === 'key') return Number(text);
  if (type.kind === 'bool') return text === '1';
  return type.kind === 'text' ? text : Buffer.from(text, 'base64');
}

/** Digits of equal length, without a sign. */
function sortedText(value: ScalarValue, column: ColumnShape | undefined): string {
  if (column?.type.kind === 'int64') return String(BigInt(String(value)) + int64Bias).padStart(20, '0');
  return String(value).padStart(10, '0');
}
