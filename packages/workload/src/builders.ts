import type { Stored, UuidVersion } from '@fair-bench/contract';
import type { SeedOf } from './code/program.ts';
import type {
  Bound,
  DescribedType,
  Domain,
  Generator,
  InsertedValue,
  Operand,
  Returns,
  Rule,
  SimpleEffect,
  SimpleGenerator,
} from './schema.ts';

/**
 * The words of a workload file. They build plain JSON without checks: `defineWorkload` checks the whole. The name of
 * a parameter may replace a number.
 */

/** A typed value: drawn as an argument, seeded as a column. */
export interface Cell {
  readonly type: DescribedType;
  readonly generator: Generator | Undirected;
  /** Of a column that is a version: the column with its writer's number. */
  readonly version?: string;
  /** Of a field of the reply: the `row.column` that was found. */
  readonly of?: string;
  /** How a system with SQL stores an int64 or a key. */
  readonly stored?: Stored;
  readonly nullable?: true;
  /** Of a column: its name in a system with SQL. */
  readonly storedAs?: string;
  /** Of a column of a workload in code: its seeded values. */
  readonly seedOf?: SeedOf;
}
/** A generator whose range is given by the `key(table, …)` around it. */
interface Undirected {
  readonly kind: 'undirected';
  over(domain: Domain, not: string | null, distinct: boolean): Generator;
}
type Draws = Generator | Undirected;
type Exponent = number | string;
interface Distinctness {
  /** Redraws until the value differs from this argument’s, which has the same generator. */
  readonly not?: string;
  /** In a list: no two records have the same value. */
  readonly distinct?: boolean;
}

const zero: SimpleGenerator = { kind: 'constant', value: 0 };

/** An unsigned 32-bit integer: `key('table', zipf('skew'))`, `key('table.column', uniform())`, `key(uniform('senders'))`. */
export function key(table: string, draws: Draws, options?: Distinctness): Cell;
export function key(draws?: Draws): Cell;
export function key(first: string | Draws = zero, second?: Draws, options: Distinctness = {}): Cell {
  if (typeof first !== 'string') return { type: { kind: 'key' }, generator: first };
  const [table = '', column = null] = first.split('.');
  const draws = second ?? uniform();
  const { not = null, distinct = false } = options;
  const generator = direct(draws, { kind: 'rows', table, column }, not, distinct);
  return { type: { kind: 'key' }, generator };
}

/** An unsigned 32-bit integer that is no key of a table, such as a limit. */
export const integer = (draws: Draws): Cell => ({ type: { kind: 'key' }, generator: draws });

/** A signed 64-bit integer: a constant, a parameter or what a generator draws. */
export const int64 = (value: Bound | Draws = 0): Cell => ({
  type: { kind: 'int64' },
  generator: drawsOf(value),
});

/** A column that each write of its row raises by 1; `writer` is the column in which it leaves its operation's number. */
export const version = (writer: string): Cell => ({ ...int64(0), version: writer });

/** The column of a version's writer; no operation has the seeded number. */
export const writer = (): Cell => int64(-1);

/** A field of the reply: the value that the operation found in `row.column`, an int64 unless another type is given. */
export const found = (of: string, cell: Cell = int64(0)): Cell => ({ ...cell, of });

export const bool = (value: boolean | string | Draws = false): Cell => ({
  type: { kind: 'bool' },
  generator: typeof value === 'object' ? value : { kind: 'constant', value },
});

/**
 * A column that systems with SQL store as a number of `precision` digits, `scale` of them after the point; everywhere else it is the
 * whole number of its smallest unit: 12.34 is 1234.
 */
export const decimal = (precision: number, scale: number, value: Bound | Draws = 0): Cell => ({
  ...int64(value),
  stored: { kind: 'decimal', precision, scale },
});

/** A column that systems with SQL store as a time; everywhere else it is the microseconds since 1970. */
export const timestamp = (value: Bound | Draws = 0): Cell => ({
  ...int64(value),
  stored: { kind: 'timestamp' },
});

/**
 * A key that systems with SQL store as a UUID: random (4), or ordered as the keys are (7); everywhere else it is the key itself. A column
 * of a table's key, or one that names such a row.
 */
export const uuid = (of: UuidVersion, draws?: Draws): Cell => ({
  ...key(draws),
  stored: { kind: 'uuid', version: of },
});

/** A column of integers, decimals or times that may be null: `nullValue`, which nothing else in it is. */
export const nullable = (cell: Cell): Cell => ({ ...cell, nullable: true });

/** A column that has another name in the tables of a system with SQL: the application's. */
export const storedAs = (name: string, cell: Cell): Cell => ({ ...cell, storedAs: name });

/** A column whose seeded values a function gives, of a workload in code. */
export const seededBy = (cell: Cell, seedOf: SeedOf): Cell => ({
  ...cell,
  generator: { kind: 'code' },
  seedOf,
});

/** True in so many of a hundred. */
export const chance = (percent: Bound): Generator => ({ kind: 'chance', percent });

/** The session's own one of the values: its number modulo their count. */
export const bySession = (): Undirected => ({
  kind: 'undirected',
  over: (over) => ({ kind: 'session', over }),
});

/** TPC-C's NURand(a, min, max) with the constant `c` (specification 5.11, clause 2.1.6). */
export const nurand = (a: number, c: Bound): Undirected => ({
  kind: 'undirected',
  over: (over) => ({ kind: 'nurand', over, a, c }),
});

/** The value of the argument `same` where `flag` is true; else one of the others or, without `differs`, any. */
export const either = (
  flag: string,
  same: string,
  { differs }: { readonly differs: boolean },
): Undirected => ({
  kind: 'undirected',
  over: (over) => ({ kind: 'either', flag, same, over, differs }),
});

/**
 * A name of one syllable for each of so many decimal digits of a NURand number with `a` and `c`: one of as many names as a key column
 * (`table.column`) has values, or as there are.
 */
export const syllables = (
  rows: string,
  all: readonly string[],
  { digits, a, c }: { readonly digits: number; readonly a: number; readonly c: Bound },
): Cell => {
  const [table = '', column = null] = rows.split('.');
  const over: Domain = { kind: 'rows', table, column };
  return {
    type: { kind: 'text', length: digits * Math.max(...all.map(({ length }) => length)) },
    generator: { kind: 'syllables', syllables: [...all], digits, over, a, c },
  };
};

/** Random letters and digits, exactly `length` of them: a number, or the name of a parameter. */
export const text = (length: number | string): Cell => ({
  type: { kind: 'text', length },
  generator: { kind: 'content' },
});

/** Random bytes, exactly `length` of them: a number, or the name of a parameter. */
export const bytes = (length: number | string): Cell => ({
  type: { kind: 'bytes', length },
  generator: { kind: 'content' },
});

/** Uniform: over the rows of the table around it, 0 … n − 1, or from a number to a number, both included. */
export function uniform(): Undirected;
export function uniform(count: Bound): Generator;
export function uniform(min: Bound, max: Bound): Generator;
export function uniform(first?: Bound, last?: Bound): Draws {
  const over = (domain: Domain, not: string | null, distinct: boolean): Generator => ({
    kind: 'uniform',
    over: domain,
    not,
    distinct,
  });
  if (first === undefined) return { kind: 'undirected', over };
  if (last !== undefined) return over({ kind: 'range', min: first, max: last }, null, false);
  return { kind: 'uniform', over: { kind: 'count', count: first }, not: null, distinct: false };
}

/** Zipf’s distribution, exact: rank k has a probability proportional to k^−exponent. */
export const zipf = (
  exponent: Exponent,
  { scramble = false }: { scramble?: boolean | string } = {},
): Undirected => ({
  kind: 'undirected',
  over: (over, not, distinct) => ({ kind: 'zipf', over, exponent, scramble, not, distinct }),
});

/** YCSB’s scrambled Zipf: 10¹⁰ items, folded onto the rows by a hash. */
export const ycsbZipf = (exponent: Exponent): Undirected => ({
  kind: 'undirected',
  over: (over) => ({ kind: 'ycsb-zipf', over, exponent }),
});

/** Zipf’s distribution over the session’s own inserts, newest first, followed by the seeded rows. */
export const latest = (exponent: Exponent = 0.99): Undirected => ({
  kind: 'undirected',
  over: (over) => ({ kind: 'latest', table: tableOf(over), exponent }),
});

/** A key that no row has yet, and no other session uses. */
export const fresh = (): Undirected => ({
  kind: 'undirected',
  over: (over) => ({ kind: 'fresh', table: tableOf(over) }),
});

/** The operation’s own number, unique in a trial: session · 2³² + sequence. */
export const operation = (): Cell => ({ type: { kind: 'int64' }, generator: { kind: 'operation' } });

export const constant = (value: number): Cell => ({
  type: { kind: 'key' },
  generator: { kind: 'constant', value },
});

/**
 * An int64 of an earlier reply of the session, from its field of this name; `initial` before there was one. The next reply
 * replaces a value, at the earliest `hold` operations after the one that returned it.
 */
export const replied = (
  field: string,
  { hold = 0, initial = 0 }: { hold?: number; initial?: number } = {},
): Cell => ({ type: { kind: 'int64' }, generator: { kind: 'replied', field, hold, initial } });

/** One of the options, with equal probability; the argument is the option’s number. */
export const choice = (options: readonly string[]): Cell => ({
  type: { kind: 'key' },
  generator: { kind: 'choice', options: [...options] },
});

/** One generator for each value of a parameter of type `choice`; a case may be chosen by another parameter. */
export function byParameter(parameter: string, cases: Readonly<Record<string, Draws>>): Undirected {
  return {
    kind: 'undirected',
    over: (domain, not, distinct) => ({
      kind: 'by-parameter',
      parameter,
      cases: Object.fromEntries(
        Object.entries(cases).map(([value, draws]) => [value, direct(draws, domain, not, distinct)]),
      ),
    }),
  };
}

/** `count` cells of one kind, named `field0`, `field1`, …: columns, arguments, or the options of a choice. */
export const fields = (count: number, cell: Cell): Record<string, Cell> =>
  Object.fromEntries(fieldNames(count).map((name) => [name, cell]));
export const fieldNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `field${index}`);

export interface List {
  readonly kind: 'list';
  readonly length: { readonly min: Bound; readonly max: Bound };
  readonly fields: Readonly<Record<string, CellWord>>;
}
/** Records of the given fields, as many as `uniform(min, max)` says. */
export function list(length: Generator, listed: Readonly<Record<string, CellWord>>): List {
  if (length.kind !== 'uniform' || length.over.kind !== 'range') {
    throw new Error('list: its length is uniform(MIN, MAX)');
  }
  const { min, max } = length.over;
  return { kind: 'list', length: { min, max }, fields: listed };
}

/** `int64` may stand for `int64()`. */
export type CellWord = Cell | (() => Cell);

export interface RowWord {
  readonly kind: 'row';
  readonly table: string;
  readonly keys: string[];
}
/** The row of a table whose key is the given arguments. */
export const row = (table: string, keys: string | readonly string[]): RowWord => ({
  kind: 'row',
  table,
  keys: listOf(keys),
});

/** The row that has the argument's value in a column, which has an index and is no key. */
export const rowBy = (table: string, column: string, argument: string): Returns => ({
  kind: 'row',
  table,
  keys: [argument],
  by: column,
});

/** The first row of a table, in the order of its key, that no other operation holds; the reply says which it was. */
export const first = (table: string): RowWord => ({ kind: 'row', table, keys: [] });

export const missing = (name: string): Rule => ({ kind: 'missing', row: name });
export const exists = (name: string): Rule => ({ kind: 'exists', row: name });
export const equal = (left: Operand, right: Operand): Rule => ({ kind: 'equal', left, right });
export const less = (left: Operand, right: Operand): Rule => ({ kind: 'less', left, right });

/** Adds an argument (`-argument` subtracts it) or a number to `row.column`. */
export const add = (target: string, amount: string | number): SimpleEffect => ({
  kind: 'add',
  target,
  amount,
});

/** Inserts a row; every column is named. */
export const insert = (table: string, columns: Readonly<Record<string, InsertedValue>>): SimpleEffect => ({
  kind: 'insert',
  table,
  columns: { ...columns },
});

/**
 * Inserts a row where its key is missing, and keeps one that is there. An `add` or a `set` of the same row after it makes both an
 * upsert.
 */
export const insertIfMissing = (
  table: string,
  columns: Readonly<Record<string, InsertedValue>>,
): SimpleEffect => ({ kind: 'insert', table, columns: { ...columns }, ifMissing: true });

/** Deletes a row. */
export const remove = (name: string): SimpleEffect => ({ kind: 'delete', row: name });

/** Sets `row.column`, or the column of `row` that the choice `at` names. */
export const set = (
  target: string,
  to: string | { readonly at: string; readonly to: string },
): SimpleEffect =>
  typeof to === 'string'
    ? { kind: 'set', target, to }
    : { kind: 'set-chosen', row: target, at: to.at, to: to.to };

/** The effect once for each record of a list. */
export const each = (
  listed: string,
  effect: SimpleEffect,
): { kind: 'each'; list: string; effect: SimpleEffect } => ({
  kind: 'each',
  list: listed,
  effect,
});

/** A column whose value is a field of the reply. */
export const returned = (name: string): InsertedValue => ({ returned: name });
/** A column whose value is not compared, such as the server’s time. */
export const unchecked: InsertedValue = { unchecked: true };

interface ScanWord {
  readonly from?: string | readonly string[];
  readonly prefix?: string | readonly string[];
  readonly order?: 'ascending' | 'descending';
  readonly limit: string | number;
  /** Only rows whose time in the column, which the server gave, is at most the argument's. */
  readonly until?: readonly [column: string, argument: string];
}
/** Rows in the order of the key. */
export const scan = (
  table: string,
  { from = [], prefix = [], order = 'ascending', limit, until }: ScanWord,
): Returns => ({
  kind: 'scan',
  table,
  from: listOf(from),
  prefix: listOf(prefix),
  order,
  limit,
  ...(until === undefined ? {} : { until: { column: until[0], at: until[1] } }),
});
/** Rows of typed fields, as many as the operation says. */
export const records = (
  listed: Readonly<Record<string, CellWord>>,
): { readonly kind: 'records'; readonly listed: Readonly<Record<string, CellWord>> } => ({
  kind: 'records',
  listed,
});

/** Rows that the server chooses: each is whole and was sent; completeness is not asserted. */
export const chosenRows = (table: string, limit: number): Returns => ({ kind: 'chosen-rows', table, limit });

export function listOf(words: string | readonly string[]): string[] {
  return typeof words === 'string' ? [words] : [...words];
}

function direct(draws: Draws, domain: Domain, not: string | null, distinct: boolean): Generator {
  if (draws.kind === 'undirected') return draws.over(domain, not, distinct);
  return draws.kind === 'uniform' ? { ...draws, not, distinct } : draws;
}

function drawsOf(value: Bound | Draws): Draws {
  return typeof value === 'object' ? value : { kind: 'constant', value };
}

function tableOf(over: Domain): string {
  return over.kind === 'rows' ? over.table : '';
}
