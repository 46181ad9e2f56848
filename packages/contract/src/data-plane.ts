import { z } from 'zod';
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

export function isListValue(value: Value | undefined): value is ListValue {
  return typeof value === 'object' && 'fields' in value;
}

/** An operation's arguments in declared order. */
export type Values = readonly Value[];

/** A row's columns in declared order, the key's first. */
export type Row = readonly ScalarValue[];

/**
 * What an operation returned: rows (`row`: one or none, `scan`: in order, `records`: of typed fields) or typed fields in declared order.
 */
export type Reply =
  | {
      readonly kind: 'rows';
      readonly rows: readonly Row[];
      /** The only row as an engine in this process stores it; its bytes, and `rows`, are valid until the next call. */
      readonly stored?: StoredCells;
    }
  | { readonly kind: 'fields'; readonly fields: Row };

/** A row's columns by their places, without a value made of each. */
export interface StoredCells {
  readonly width: number;
  /** Has texts and bytes, `length` of them from `begin` on. */
  readonly view: DataView;
  begin(place: number): number;
  length(place: number): number;
  /** The value of a column of the key, or of no text and no bytes. */
  value(place: number): ScalarValue;
}

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

/** One operation of a batch: its number and its arguments. */
export interface BatchedOperation {
  readonly operation: number;
  readonly values: Values;
}

/**
 * One client connection to a target, for any workload. `execute` sends operation number `operation` (its place in the
 * description) at once, resolves when the reply arrives, and never rejects: an error is a fault. It never resends
 * after a lost connection; the next call connects again. An operation that the server has certainly undone is sent again by
 * the policy of `retry.ts`, and counted. The caller owns `values` and reuses it once the promise is
 * settled; it also owns the reply from then on.
 */
export interface DataPlane {
  execute(operation: number, values: Values): Promise<OperationOutcome>;
  /**
   * The same of an engine in this process, which returns the outcome itself where it is there at once; its reply is valid
   * until the next call. Absent in all others.
   */
  executeNow?(operation: number, values: Values): OperationOutcome | Promise<OperationOutcome>;
  /**
   * Sends these operations as one request, which carries them out in their order and commits them together; resolves with
   * an outcome for each, in the same order, when all are acknowledged. A declined operation undoes none of the others; where
   * one fails, all do, and none is applied. Only of a route whose manifest has the load client in `batch`; the rest is as
   * with `execute`, except that a batch which the server has certainly undone, such as the victim of a deadlock, may be sent
   * again: counted once, in the first outcome's `retries`. The caller reuses `operations` too.
   */
  executeBatch?(operations: readonly BatchedOperation[]): Promise<readonly OperationOutcome[]>;
  /** Of an engine in this process: how long opening it took, for whichever session did. */
  readonly openMs?: number;
  /** Ends the connection; outstanding operations settle as faults in doubt. Resolves when no handle is left. */
  close(): Promise<void>;
}

/** The same rule as in the schema of descriptions: names go into generated source. */
const identifier = z.string().regex(/^[a-z][a-z0-9_]{0,30}$/);

/**
 * How a system with SQL stores an int64: as a number of `precision` digits, `scale` of them after the point, of which it is the
 * whole number of the smallest unit; or as a time, of which it is the microseconds since 1970 in UTC. And how it stores a key: as a
 * UUID that `uuidOf` makes of it. Arguments and replies have the int64 or the key itself.
 */
export const storedSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('decimal'),
    precision: z.int().min(1).max(18),
    scale: z.int().min(0).max(18),
  }),
  z.strictObject({ kind: z.literal('timestamp') }),
  z.strictObject({ kind: z.literal('uuid'), version: z.union([z.literal(4), z.literal(7)]) }),
]);
export type Stored = Readonly<z.infer<typeof storedSchema>>;

/** What stands for null in a column that may be null: no other value of such a column is −2⁶³. */
export const nullValue = -(2n ** 63n);

/** A name in a schema of the user's, as it is there: systems with SQL quote it. */
export const storedNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_$]{0,62}$/, 'a name of letters, digits, _ and $');

/** A column of a table, as a connector needs it; `length` counts characters of ASCII or bytes. */
const columnShapeSchema = z.strictObject({
  name: identifier,
  type: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.enum(['key', 'int64', 'bool']) }).readonly(),
    z.strictObject({ kind: z.enum(['text', 'bytes']), length: z.int().min(0) }).readonly(),
  ]),
  stored: storedSchema.readonly().exactOptional(),
  nullable: z.literal(true).exactOptional(),
  /** Its name in the tables of a system with SQL, where that is another. */
  storedAs: storedNameSchema.exactOptional(),
});
export type ColumnShape = Readonly<z.infer<typeof columnShapeSchema>>;
const columnsSchema = z.array(columnShapeSchema.readonly()).readonly();

/** A table, as a connector needs it. */
const tableShapeSchema = z.strictObject({
  name: identifier,
  /** Its name in a system with SQL, where that is another. */
  storedAs: storedNameSchema.exactOptional(),
  /** The key's columns first. */
  columns: columnsSchema,
  /** How many of the first columns form the primary key. */
  keyColumns: z.int().min(1).max(4),
  /** Further indexes, each as a list of column names. */
  indexes: z.array(z.array(identifier).readonly()).readonly(),
  /** Whether any operation writes to it. */
  written: z.boolean(),
});
export type TableShape = Readonly<z.infer<typeof tableShapeSchema>>;

/** `max` is the most records that a list has. */
const argumentShapeSchema = z.discriminatedUnion('kind', [
  columnShapeSchema.extend({ kind: z.literal('scalar') }).readonly(),
  z
    .strictObject({
      kind: z.literal('list'),
      name: identifier,
      max: z.int().min(0),
      fields: columnsSchema,
    })
    .readonly(),
]);
export type ArgumentShape = z.infer<typeof argumentShapeSchema>;

/** Rows of a table (`row`: one or none), typed fields in declared order, or rows of such (`records`). */
const returnShapeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('nothing') }).readonly(),
  z.strictObject({ kind: z.enum(['row', 'rows']), table: z.int().min(0) }).readonly(),
  z.strictObject({ kind: z.literal('fields'), fields: columnsSchema }).readonly(),
  z.strictObject({ kind: z.literal('records'), fields: columnsSchema }).readonly(),
]);
export type ReturnShape = z.infer<typeof returnShapeSchema>;

/** An operation, as a connector needs it: arguments, reasons to decline, result. */
const operationShapeSchema = z.strictObject({
  name: identifier,
  arguments: z.array(argumentShapeSchema).readonly(),
  /** Each once; an outcome's reason is one of these. */
  reasons: z.array(z.string()).readonly(),
  returns: returnShapeSchema,
  /** Whether it has an effect. */
  writes: z.boolean(),
});
export type OperationShape = Readonly<z.infer<typeof operationShapeSchema>>;

/** A workload, as a connector needs it; operations and tables are identified by their places. */
export const workloadShapeSchema = z.strictObject({
  name: z.string(),
  tables: z.array(tableShapeSchema.readonly()).readonly(),
  operations: z.array(operationShapeSchema.readonly()).readonly(),
});
export type WorkloadShape = Readonly<z.infer<typeof workloadShapeSchema>>;

/** The columns of the rows or the fields that an operation returns; none when it returns nothing. */
export function columnsOf(
  { tables }: Pick<WorkloadShape, 'tables'>,
  returns: ReturnShape,
): readonly ColumnShape[] {
  if (returns.kind === 'nothing') return [];
  return 'fields' in returns ? returns.fields : (tables[returns.table]?.columns ?? []);
}

/** A table by its number. Throws with the system's name if the workload has none. */
export function tableAt(system: string, tables: readonly TableShape[], number: number): TableShape {
  const table = tables[number];
  if (table === undefined) throw new Error(`${system}: the workload has no table ${number}`);
  return table;
}

/** Whether the rows of tables go into others, which differ from them in longer texts and bytes at most. */
export function fitInto(tables: readonly TableShape[], others: readonly TableShape[]): boolean {
  const withoutLengths = (all: readonly TableShape[]): string =>
    JSON.stringify(all, (name, value: unknown) => (name === 'length' ? null : value));
  if (withoutLengths(tables) !== withoutLengths(others)) return false;
  const lengthsOf = (all: readonly TableShape[]): number[] =>
    all.flatMap(({ columns }) => columns.map(({ type }) => ('length' in type ? type.length : 0)));
  const room = lengthsOf(others);
  return lengthsOf(tables).every((length, place) => length <= (room[place] ?? 0));
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
  /** Creates the tables, empty, with their indexes; an existing table of that name is replaced, or cleared where the rows fit into it. */
  create(tables: readonly TableShape[], signal: AbortSignal): Promise<void>;
  /** Makes the binding's operations callable; when the system refuses, rejects with file, operation and remedy. */
  install(binding: Binding, signal: AbortSignal): Promise<void>;
  /** Puts the constraints between tables back, once all are full; absent where seeding lifts none. Rejects where the rows do not keep one. */
  constrain?(signal: AbortSignal): Promise<void>;
  /** Inserts rows, in pages of any size. */
  load(table: number, rows: AsyncIterable<readonly Row[]>, signal: AbortSignal): Promise<void>;
  /** Every row once, in any order, in pages of any size, over a connection that took no part in the trial. */
  scan(table: number, signal: AbortSignal): AsyncIterable<readonly Row[]>;
  /** The rows with one of the keys (each as long as the table's key), in any order; missing rows are left out. */
  read(table: number, keys: readonly Row[], signal: AbortSignal): Promise<readonly Row[]>;
  /** Removes every row. */
  clear(table: number, signal: AbortSignal): Promise<void>;
  /** Gives rows that are there other values, by their keys; in one transaction where the system has them. Absent where nobody else can write meanwhile. */
  replace?(table: number, rows: readonly Row[], signal: AbortSignal): Promise<void>;
  /** A copy of a table's rows within the system; absent where loading them again is as fast. */
  readonly copies?: TableCopies;
}

/** Names of copies consist of small letters and digits; copies are removed with the target. */
interface TableCopies {
  /** Copies the table's present rows; replaces an earlier copy of that name. */
  keep(table: number, name: string, signal: AbortSignal): Promise<void>;
  /**
   * Replaces the table's rows by those of a copy. After `load` has added the last rows, even none, the table equals a
   * loaded one in size, dead rows and statistics. Resolves with the number of rows.
   */
  refill(table: number, name: string, signal: AbortSignal): Promise<number>;
}
