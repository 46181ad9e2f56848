import type { ScalarValue } from '@fair-bench/contract';
import type { WorkloadDescription } from '../schema.ts';

/**
 * The functions of a workload in code: what its operations do, and what its tables begin with. JSON cannot have them, so that
 * they stay in the process that imported the workload's file; load clients and servers need none of them.
 */
export interface Program {
  /** By operation. */
  readonly operations: Readonly<Record<string, OperationCode>>;
  /** By table and column, the values of seeded rows. */
  readonly seeds: Readonly<Record<string, Readonly<Record<string, SeedOf>>>>;
  /** By table, which of the rows that its key could have are there in the beginning; all by default. */
  readonly present: Readonly<Record<string, IsSeededAt>>;
  readonly chains: Readonly<Record<string, Chain>>;
  readonly conditions: readonly Condition[];
}

/** The value of a seeded row in a column; draws what it draws from the row's key alone. */
export type SeedOf = (at: SeededAt) => ScalarValue;
export type IsSeededAt = (at: SeededAt) => boolean;

/** A row that a workload begins with. */
export interface SeededAt {
  /** The value of a key column. */
  key(column: string): number;
  /** A parameter that is a number. */
  parameter(name: string): number;
  /** A whole number from `min` to `max`, the same each time; another one for each `turn`. */
  between(min: number, max: number, turn?: number): number;
  /** So many random letters and digits. */
  letters(length: number, turn?: number): string;
}

/** Named values: of a row, of arguments, of a record of a list, or of a reply. Each throws where there is no such value. */
export interface Named {
  /** A `key`. */
  key(name: string): number;
  /** An `int64`, also where the system stores a decimal or a time. */
  int(name: string): bigint;
  flag(name: string): boolean;
  text(name: string): string;
  /** Any of them; null where only the server knows it, as in a model. */
  value(name: string): ScalarValue | null;
}

export interface Arguments extends Named {
  list(name: string): readonly Named[];
}

/** A row’s columns by their names; null is a value that only the server knows, as in a model it is. */
export type Columns = Readonly<Record<string, ScalarValue | null>>;

/** What an operation in code does with the rows, one at a time; all of it or nothing. */
export interface Transaction {
  /** The row of a key; null where it is missing. */
  get(table: string, key: readonly ScalarValue[]): Named | null;
  /** As `get`; a missing row is a mistake of the workload. */
  row(table: string, key: readonly ScalarValue[]): Named;
  /** Rows whose key begins with all its columns but the last, in the order of that one. */
  rows(table: string, prefix: readonly ScalarValue[], scan?: Scan): readonly Named[];
  /** Rows with such a key that have a value in a column which no operation writes, in the order of the key. */
  find(table: string, prefix: readonly ScalarValue[], column: string, value: ScalarValue): readonly Named[];
  insert(table: string, row: Columns): void;
  set(table: string, key: readonly ScalarValue[], columns: Columns): void;
  /** Adds to columns of type int64. */
  add(table: string, key: readonly ScalarValue[], amounts: Readonly<Record<string, bigint>>): void;
  remove(table: string, key: readonly ScalarValue[]): void;
  /** Ends the operation; it changes nothing. Where rows decide that operations write, `declined` judges it. */
  decline(reason: string): never;
  /** A parameter that is a number. */
  parameter(name: string): number;
}

interface Scan {
  readonly from?: number;
  readonly descending?: boolean;
  readonly limit?: number;
}

/** What an operation returns, by field; one that is null or left out is not asserted: the server gives it. */
export type Expected = Readonly<Record<string, ScalarValue | null | undefined>>;

/** An operation in code. */
export interface OperationCode {
  /**
   * What it does, and what it returns: one value for each field, or for `records` one object for each row. `reply` has what the
   * server said, for columns that the server gives; it is null in a model.
   */
  readonly does: (
    tx: Transaction,
    given: Arguments,
    reply: readonly Named[] | null,
  ) => Expected | readonly Expected[] | undefined;
  /**
   * A row that this operation alone inserts, whose key its arguments say: another connection must find it once the operation is
   * acknowledged. Columns that it leaves out are not compared.
   */
  readonly witness?: (given: Arguments) => { readonly table: string; readonly row: Columns };
  /** What its reply says that it found. */
  readonly found?: (chains: Touches, given: Arguments, reply: readonly Named[]) => void;
  /**
   * Of an operation that declines by what it finds in rows which operations write: why no moment between its sending and its end
   * permits that; null where one does.
   */
  readonly declined?: (past: Past, given: Arguments) => string | null;
  /** Why no moment between its sending and its end permits its reply; null where one does. */
  readonly between?: (past: Past, given: Arguments, reply: readonly Named[]) => string | null;
}

/**
 * A chain of operations on one row: each says the number that it found, and leaves a larger one. That puts them into one order,
 * in which they are carried out again.
 */
export interface Chain {
  /** The table whose rows have the number: the sum of these columns, each write raises one of them. */
  readonly table?: string;
  readonly counter?: readonly string[];
  /** Of a chain without a counter, the number before the first operation, by its key. */
  readonly first?: (key: readonly number[], parameter: (name: string) => number) => number;
  /** Columns whose past values `between` looks at. */
  readonly keeps?: readonly string[];
}

export interface Touches {
  /** It found this number, and left one that is `times` larger. */
  wrote(chain: string, key: readonly number[], found: number, times?: number): void;
  /** It found this number, and left it. */
  read(chain: string, key: readonly number[], found: number): void;
  /** It left this number, whatever it found: numbers of this chain grow, and need not follow each other. */
  left(chain: string, key: readonly number[], number: number): void;
  /** It found the number that another operation `left`; null for none. */
  saw(chain: string, key: readonly number[], number: number | null): void;
  /** It came after the operation that left this number. */
  after(chain: string, key: readonly number[], number: number): void;
  /** It came before that. */
  before(chain: string, key: readonly number[], number: number): void;
}

/** What rows can have had while an operation was under way. */
export interface Past {
  /** The values of a column that a chain keeps, at some moment between the operation's sending and its end. */
  values(chain: string, key: readonly number[], column: string): readonly bigint[];
  /** The number that a chain had at some moment then: at least `least`, and at most `most`. */
  number(chain: string, key: readonly number[]): { readonly least: number; readonly most: number };
  /** Rows as they are at the end, for what nobody changes once it is written. */
  readonly tx: Pick<Transaction, 'get' | 'row' | 'rows' | 'parameter'>;
}

/** What must hold in the tables after a trial, by whatever operations. */
export interface Condition {
  readonly name: string;
  /** The tables that it reads. */
  readonly tables: readonly string[];
  /** A new reading: every row of its tables, then what is wrong, or null. */
  readonly begin: (parameter: (name: string) => number) => {
    readonly row: (table: string, row: Named) => void;
    readonly end: () => string | null;
  };
}

/** Why a system that carries descriptions out itself cannot do so with a workload in code; null for any other. */
export function lackOfCode({ name, code }: Pick<WorkloadDescription, 'name' | 'code'>): string | null {
  return code === undefined
    ? null
    : `the operations of ${name} are in code, which needs a binding of the system's own`;
}

/** By digest: the programs of the workloads whose files this process has imported. */
const programs = new Map<string, Program>();

/** Keeps the functions of a workload in code; a description names them by this digest. */
export function keepProgram(digest: string, program: Program): void {
  programs.set(digest, program);
}

/** The functions of a workload in code; null of one whose description says everything. Throws where they were left behind. */
export function programOf({ name, code }: Pick<WorkloadDescription, 'name' | 'code'>): Program | null {
  if (code === undefined) return null;
  const program = programs.get(code);
  if (program !== undefined) return program;
  throw new Error(
    `workload ${name}: its operations are in code, which this process does not have; import its file`,
  );
}
