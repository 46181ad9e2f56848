import type { Operation, ScalarType, WorkloadDescription } from './schema.ts';

/** A parameter's value: an `int64` travels as a decimal string and is a bigint here. */
export type ParameterValue = number | bigint | boolean | string;

/**
 * A description with its parameters' values: every number is known. The compiler, the model and the audit use it;
 * tables, columns, operations and arguments are identified by their places in the description.
 */
export interface Workload {
  readonly description: WorkloadDescription;
  /** Determines every draw and every seeded value: an unsigned 64-bit integer. */
  readonly seed: bigint;
  readonly parameters: ReadonlyMap<string, ParameterValue>;
  readonly tables: readonly ResolvedTable[];
  readonly operations: readonly ResolvedOperation[];
}

export interface ResolvedTable {
  readonly name: string;
  readonly number: number;
  /** How many values each column of the key takes in seeded rows. */
  readonly extents: readonly number[];
  /** The product of the extents: seeded rows have the numbers 0 … rows − 1. */
  readonly rows: number;
  /** How many of the first columns form the key. */
  readonly keyColumns: number;
  readonly columns: readonly ResolvedColumn[];
  /** Whether an operation adds to, sets or inserts rows of it; other tables are loaded and scanned once per run. */
  readonly written: boolean;
}

export interface ResolvedColumn {
  readonly name: string;
  readonly type: ScalarType;
  readonly seed: ResolvedGenerator;
  /** Effects that change it. */
  readonly added: boolean;
  readonly set: boolean;
}

export interface ResolvedOperation {
  readonly name: string;
  readonly number: number;
  readonly weight: number;
  readonly arguments: readonly ResolvedArgument[];
  readonly description: Operation;
  /** Its decline reasons, each once, in the order of the rules; a reason's number is its place here. */
  readonly reasons: readonly string[];
  /** Whether it has an effect. */
  readonly writes: boolean;
}

export type ResolvedArgument =
  | (ResolvedField & { readonly kind: 'scalar' })
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly min: number;
      readonly max: number;
      readonly fields: readonly ResolvedField[];
    };
export interface ResolvedField {
  readonly name: string;
  readonly type: ScalarType;
  readonly generator: ResolvedGenerator;
}

/** Values min … min + count − 1; keys of a table, unless it is null. */
interface Over {
  readonly table: number | null;
  readonly min: bigint;
  readonly count: number;
}
interface Differing {
  readonly not: string | null;
  readonly distinct: boolean;
}

/** A generator with known numbers. */
export type ResolvedGenerator =
  | { readonly kind: 'constant'; readonly value: number | bigint | boolean }
  | (Over & Differing & { readonly kind: 'uniform' })
  | (Over & Differing & { readonly kind: 'zipf'; readonly exponent: number; readonly scramble: boolean })
  | (Over & { readonly kind: 'ycsb-zipf'; readonly exponent: number })
  | { readonly kind: 'latest'; readonly table: number; readonly rows: number; readonly exponent: number }
  | { readonly kind: 'fresh'; readonly table: number; readonly rows: number }
  | { readonly kind: 'operation' }
  | { readonly kind: 'content' }
  | { readonly kind: 'choice'; readonly options: readonly string[] };
