import type { Fault } from './outcome.ts';

/**
 * The value of an argument or a column: a `key` (an unsigned 32-bit integer) is a number, an `int64` a bigint, `text` a
 * string, `bytes` a Uint8Array, a `list` argument a ListValue. Over JSON an `int64` is a decimal string and `bytes` is
 * base64.
 */
export type ScalarValue = number | bigint | boolean | string | Uint8Array;

/**
 * Records, one array per field: record `i` has `fields[f][i]` for the field number `f`, and i < `length`. The arrays
 * may be longer than `length`, because they are reused.
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
 * The result of one operation. `retries` counts attempts beyond the first. The `reason` of a `declined` outcome is
 * one of the operation's reasons in the workload's description; `reply` is null for an operation that returns
 * nothing.
 */
export type OperationOutcome =
  | { readonly kind: 'applied'; readonly reply: Reply | null; readonly retries: number }
  | { readonly kind: 'declined'; readonly reason: string; readonly retries: number }
  | Fault;

/** The outcome of nearly every operation that returns nothing; shared, so that the timed loop does not allocate it. */
export const applied: OperationOutcome = Object.freeze({ kind: 'applied', reply: null, retries: 0 });

/** The operation's declined outcomes by reason, shared as well. */
export function declinesOf({
  reasons,
}: Pick<OperationShape, 'reasons'>): ReadonlyMap<unknown, OperationOutcome> {
  return new Map(reasons.map((reason) => [reason, Object.freeze({ kind: 'declined', reason, retries: 0 })]));
}

/**
 * One client connection to a target, for any workload. `execute` sends operation number `operation` (its place in the
 * description) at once, resolves when the reply arrives, and never rejects: an error is a fault. It never resends
 * after a lost connection; the next call connects again. The caller owns `values` and reuses it once the promise is
 * settled; it also owns the reply from then on.
 */
export interface DataPlane {
  execute(operation: number, values: Values): Promise<OperationOutcome>;
  /** Ends the connection; outstanding operations settle as faults in doubt. Resolves when no handle is left. */
  close(): Promise<void>;
}

/** A workload, as a connector needs it; operations and tables are identified by their places. */
export interface WorkloadShape {
  readonly name: string;
  readonly tables: readonly TableShape[];
  readonly operations: readonly OperationShape[];
}

/** An operation, as a connector needs it: arguments, reasons to decline, result. */
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
  /** How many of the first columns form the primary key: 1 to 3. */
  readonly keyColumns: number;
  /** Further indexes, each as a list of column names. */
  readonly indexes: readonly (readonly string[])[];
  /** Whether any operation writes to it. */
  readonly written: boolean;
}

/** How one system carries out a workload's operations: the path of a binding's file, or none for a key-value engine. */
export interface Binding {
  readonly workload: string;
  readonly path: string | null;
}

/**
 * The tables of a target. Everything here may be slow. A table's number is its place in `create`'s argument. Every
 * method rejects with an error that names the target, the fact and the remedy.
 */
export interface ControlPlane {
  /** Creates the tables, empty, with their indexes; an existing table of that name is replaced. */
  create(tables: readonly TableShape[], signal: AbortSignal): Promise<void>;
  /** Makes the binding's operations callable; when the system refuses, rejects with file, operation and remedy. */
  install(binding: Binding, signal: AbortSignal): Promise<void>;
  /** Inserts rows, in pages of any size. */
  load(table: number, rows: AsyncIterable<readonly Row[]>, signal: AbortSignal): Promise<void>;
  /** Every row once, in any order, in pages of any size, over a connection that took no part in the trial. */
  scan(table: number, signal: AbortSignal): AsyncIterable<readonly Row[]>;
  /** The rows with one of the keys (each as long as the table's key), in any order; missing rows are left out. */
  read(table: number, keys: readonly Row[], signal: AbortSignal): Promise<readonly Row[]>;
  /** Removes every row. */
  clear(table: number, signal: AbortSignal): Promise<void>;
  /** A copy of a table's rows within the system; absent where loading them again is as fast. */
  readonly copies?: TableCopies;
}

/** Names of copies consist of small letters and digits; copies are removed with the target. */
export interface TableCopies {
  /** Copies the table's present rows; replaces an earlier copy of that name. */
  keep(table: number, name: string, signal: AbortSignal): Promise<void>;
  /**
   * Replaces the table's rows by those of a copy. After `load` has added the last rows, even none, the table equals a
   * loaded one in size, dead rows and statistics. Resolves with the number of rows.
   */
  refill(table: number, name: string, signal: AbortSignal): Promise<number>;
}
