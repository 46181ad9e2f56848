import type { Fault } from './outcome.ts';

/**
 * The value of an argument or a column: a `key` (an unsigned 32-bit integer) is a number, an `int64` a bigint, `text` a
 * string, `bytes` a Uint8Array, a `list` argument a ListValue. Over JSON an `int64` is a decimal string and `bytes` is
 * base64.
 */
export type ScalarValue = number | bigint | boolean | string | Uint8Array;

/**
 * Records, one array per field: record `i` has `fields[f][i]` for the field number `f`, and i < `length`. The arrays may
 * be longer than `length`: they are used again.
 */
export interface ListValue {
  length: number;
  readonly fields: readonly ScalarValue[][];
}

export type Value = ScalarValue | ListValue;

/** An operation's arguments in declared order. */
export type Values = readonly Value[];

/** A row's columns in declared order, the key's first. */
export type Row = readonly ScalarValue[];

/**
 * What an operation returned: rows (`row`: one or none, `scan`: in order) or typed fields in declared order.
 */
export type Reply =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'fields'; readonly fields: Row };

/**
 * What became of one operation. `retries` counts attempts beyond the first. A `declined` outcome's `reason` is one of
 * the operation's in the workload's description; `reply` is null for an operation that returns nothing.
 */
export type OperationOutcome =
  | { readonly kind: 'applied'; readonly reply: Reply | null; readonly retries: number }
  | { readonly kind: 'declined'; readonly reason: string; readonly retries: number }
  | Fault;

/** The outcome of nearly every operation that returns nothing, shared so that the timed loop does not allocate it. */
export const applied: OperationOutcome = Object.freeze({ kind: 'applied', reply: null, retries: 0 });

/** The operation's declined outcomes by their reasons, shared as well. */
export function declinesOf({
  reasons,
}: Pick<OperationShape, 'reasons'>): ReadonlyMap<unknown, OperationOutcome> {
  return new Map(reasons.map((reason) => [reason, Object.freeze({ kind: 'declined', reason, retries: 0 })]));
}

/**
 * One client connection to a target, for any workload. `execute` sends operation number `operation` (its place in the
 * description) at once, resolves when the reply has arrived, and never rejects: what goes wrong is a fault. It is not
 * resent after a lost connection; the next call connects again. `values` belongs to the caller, who reuses it once the
 * promise is settled; a reply belongs to the caller from then on.
 */
export interface DataPlane {
  execute(operation: number, values: Values): Promise<OperationOutcome>;
  /** Ends the connection; what is outstanding settles as a fault in doubt. Resolves when no handle is left. */
  close(): Promise<void>;
}

/** A workload, as a connector needs it; operations and tables are known by their places. */
export interface WorkloadShape {
  readonly name: string;
  readonly tables: readonly TableShape[];
  readonly operations: readonly OperationShape[];
}

/** An operation, as a connector needs it: what it is given, why it may be declined, what it returns. */
export interface OperationShape {
  readonly name: string;
  readonly arguments: readonly ArgumentShape[];
  /** Each once; an outcome's reason is one of these. */
  readonly reasons: readonly string[];
  readonly returns: ReturnShape;
  /** Whether it has an effect. */
  readonly writes: boolean;
}

/** `max` is the most records that a list has. */
export type ArgumentShape =
  | { readonly kind: 'scalar'; readonly name: string; readonly type: ColumnShape['type'] }
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly max: number;
      readonly fields: readonly ColumnShape[];
    };

/** Rows of a table (`row`: one or none), or typed fields in declared order. */
export type ReturnShape =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'row' | 'rows'; readonly table: number }
  | { readonly kind: 'fields'; readonly fields: readonly ColumnShape[] };

/** A column of a table, as a connector needs it; `length` counts characters of ASCII or bytes. */
export interface ColumnShape {
  readonly name: string;
  readonly type:
    | { readonly kind: 'key' | 'int64' | 'bool' }
    | { readonly kind: 'text' | 'bytes'; readonly length: number };
}

/** A table, as a connector needs it: no column is null. */
export interface TableShape {
  readonly name: string;
  /** The key's columns first. */
  readonly columns: readonly ColumnShape[];
  /** How many of the first columns are the primary key: 1 to 3. */
  readonly keyColumns: number;
  /** Further indexes, each by the names of its columns. */
  readonly indexes: readonly (readonly string[])[];
  /** Whether an operation has an effect on it. */
  readonly written: boolean;
}

/** How one system carries out a workload's operations: the path of a binding's file, or none for a key-value engine. */
export interface Binding {
  readonly workload: string;
  readonly path: string | null;
}

/**
 * The tables of a target. Everything here may be slow. Tables are known by their numbers, which are their places in
 * `create`'s argument. Every method rejects with an error that names the target, the fact and the remedy.
 */
export interface ControlPlane {
  /** Creates the tables, empty, with their indexes; a table of that name is replaced. */
  create(tables: readonly TableShape[], signal: AbortSignal): Promise<void>;
  /** Makes the binding's operations callable; rejects with file, operation and remedy when the system refuses it. */
  install(binding: Binding, signal: AbortSignal): Promise<void>;
  /** Inserts rows, in pages of any size. */
  load(table: number, rows: AsyncIterable<readonly Row[]>, signal: AbortSignal): Promise<void>;
  /** Every row, in any order, each once, in pages of any size, read by a connection that has not seen the trial. */
  scan(table: number, signal: AbortSignal): AsyncIterable<readonly Row[]>;
  /** The rows that have one of the keys (each as long as the table's key), in any order; missing rows are left out. */
  read(table: number, keys: readonly Row[], signal: AbortSignal): Promise<readonly Row[]>;
  /** Removes every row. */
  clear(table: number, signal: AbortSignal): Promise<void>;
  /** A copy of a table's rows within the system; absent where that is no faster than to load them again. */
  readonly copies?: TableCopies;
}

/** Copies have names of small letters and digits, and end with the target. */
export interface TableCopies {
  /** Copies the rows that the table has now, in place of a copy of that name. */
  keep(table: number, name: string, signal: AbortSignal): Promise<void>;
  /**
   * Replaces the table's rows by those of a copy. Once `load` has added the last rows, even none, nothing distinguishes the
   * table from one that was loaded: not its size, its dead rows or its statistics. Resolves with the number of rows.
   */
  refill(table: number, name: string, signal: AbortSignal): Promise<number>;
}
