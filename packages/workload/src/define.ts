import { createHash } from 'node:crypto';
import { unreachedRules } from './cases.ts';
import {
  type Condition,
  type IsSeededAt,
  type OperationCode,
  type Program,
  keepProgram,
} from './code/program.ts';
import { parseDescription, WorkloadError } from './parse.ts';
import type { Axis, Effect, Parameter, Returns, Rule, WorkloadDescription } from './schema.ts';
import { listOf, type Cell, type CellWord, type List, type records, type RowWord } from './builders.ts';

type Named<T> = Readonly<Record<string, T>>;
/** Leaves out the members that are derived, from every member of a union. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface TableWord {
  /** A number or parameter, or one for each key column: then the seeded rows are their product. */
  readonly rows: number | string | readonly (number | string)[];
  readonly key: string | readonly string[];
  /** A key column without an entry here is of type `key`. */
  readonly columns?: Named<CellWord>;
  readonly indexes?: readonly (string | readonly string[])[];
  /** Its name in a system with SQL, where that is another: the application's. */
  readonly storedAs?: string;
  /** The first value of each key column in seeded rows; 0 by default. */
  readonly firsts?: readonly number[];
  /** Of a workload in code: which rows of that key are there in the beginning. */
  readonly present?: IsSeededAt;
}

export interface OperationWord {
  /** Its weight; 1 by default. */
  readonly weight?: number | string;
  readonly arguments?: Named<CellWord | List>;
  readonly rows?: Named<RowWord>;
  readonly declines?: readonly (readonly [reason: string, rule: Rule])[];
  readonly effects?: readonly Effect[];
  /** A row, a scan, or fields by their types. */
  readonly returns?: RowWord | Returns | ReturnType<typeof records> | Named<CellWord>;
  readonly asserts?: 'all' | 'content';
  /** What people call it in a report, and for how many milliseconds 90 of a hundred may take. */
  readonly reported?: { readonly as?: string; readonly p90MsMax?: number };
  /** Of an operation in code. */
  readonly code?: OperationCode & {
    /** Why it may be declined. */
    readonly reasons?: readonly string[];
    /** By table that it writes, the most rows; none for an operation that only reads. */
    readonly writes?: Named<number>;
  };
}

interface WorkloadWord {
  readonly name: string;
  readonly about?: string;
  /** The option’s name, by default the parameter’s with hyphens. Every workload has `seed`. */
  readonly parameters?: Named<Without<Parameter, 'name' | 'option'> & { readonly option?: string }>;
  readonly tables: Named<TableWord>;
  readonly operations: Named<OperationWord>;
  /** Weights of the operations by the values of a parameter; an unnamed operation has 0. */
  readonly weights?: { readonly parameter: string; readonly cases: Named<Named<number>> };
  readonly axes?: Named<Omit<Axis, 'parameter'>>;
  /** Of a workload in code. */
  readonly chains?: Program['chains'];
  readonly conditions?: readonly Condition[];
}

export const table = (word: TableWord): TableWord => word;

/** Weights of the operations by the values of a parameter of type `choice`. */
export const mixes = (parameter: string, cases: Named<Named<number>>) => ({ parameter, cases });

/** The checked description; throws a WorkloadError that names each wrong field and what it accepts. */
export function defineWorkload(word: WorkloadWord): WorkloadDescription {
  const source = `workload ${word.name}`;
  const program = programIn(word);
  const code = program === null ? null : digestOf(word.name, program);
  if (program !== null && code !== null) keepProgram(code, program);
  const description = parseDescription(
    {
      version: 1,
      name: word.name,
      about: word.about ?? '',
      parameters: entries(word.parameters, (name, parameter) => ({
        ...parameter,
        name,
        option: parameter.option ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      })),
      tables: entries(word.tables, defineTable),
      operations: entries(word.operations, (name, operation) =>
        defineOperation(name, operation, word.weights),
      ),
      axes: entries(word.axes, (parameter, axis) => ({ ...axis, parameter })),
      ...(code === null ? {} : { code }),
    },
    source,
  );
  const unreached = unreachedRules(description);
  if (unreached.length > 0) {
    const message = 'no boundary value and no drawn operation reaches it; remove the rule, or move it up';
    throw new WorkloadError(
      source,
      unreached.map((path) => ({ path, message })),
    );
  }
  return description;
}

/** A column of a key that is described no further. */
const keyCell: Cell = { type: { kind: 'key' }, generator: { kind: 'constant', value: 0 } };

function defineTable(name: string, word: TableWord): unknown {
  const key = listOf(word.key);
  const columns = word.columns ?? {};
  return {
    name,
    ...(word.storedAs === undefined ? {} : { storedAs: word.storedAs }),
    rows: Array.isArray(word.rows) ? word.rows : [word.rows],
    key,
    columns: [
      ...key.map((column) => ({
        ...columnOf(column, cellOf(columns[column] ?? keyCell)),
        generator: keyCell.generator,
      })),
      ...entries(columns, (column, cell) => columnOf(column, cellOf(cell))).filter(
        (column) => !key.includes(column.name),
      ),
    ],
    indexes: (word.indexes ?? []).map(listOf),
    ...(word.firsts === undefined ? {} : { firsts: word.firsts }),
  };
}

/** The functions of a workload whose operations are in code; null of any other. */
function programIn({ tables, operations, chains = {}, conditions = [] }: WorkloadWord): Program | null {
  const inCode = Object.entries(operations).flatMap(([name, { code }]) =>
    code === undefined ? [] : [[name, code] as const],
  );
  if (inCode.length === 0) return null;
  const seeds = entries(tables, (name, { columns = {} }) => {
    const all = Object.entries(columns).flatMap(([column, word]) => {
      const { seedOf } = cellOf(word);
      return seedOf === undefined ? [] : [[column, seedOf] as const];
    });
    return [name, Object.fromEntries(all)] as const;
  });
  const present = Object.entries(tables).flatMap(([name, { present: isThere }]) =>
    isThere === undefined ? [] : [[name, isThere] as const],
  );
  return {
    operations: Object.fromEntries(inCode),
    seeds: Object.fromEntries(seeds),
    present: Object.fromEntries(present),
    chains,
    conditions,
  };
}

/** Of the functions' source, so that a result names the code that it was made with. */
function digestOf(name: string, program: Program): string {
  const text = JSON.stringify([name, program], (_key, value: unknown) =>
    typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

/** Its function is no part of the description. */
function columnOf(name: string, cell: Cell): { readonly name: string } & Cell {
  const column = { name, ...cell };
  delete column.seedOf;
  return column;
}

function defineOperation(name: string, word: OperationWord, weights: WorkloadWord['weights']): unknown {
  return {
    name,
    weight: weights === undefined ? (word.weight ?? 1) : weightsOf(name, weights),
    arguments: entries(word.arguments, defineArgument),
    rows: entries(word.rows, (row, { table: rowTable, keys }) => ({ name: row, table: rowTable, keys })),
    declines: (word.declines ?? []).map(([reason, rule]) => ({ reason, rule })),
    effects: word.effects ?? [],
    returns: defineReturns(word.returns),
    asserts: word.asserts ?? 'all',
    ...(word.reported === undefined ? {} : { reported: word.reported }),
    ...(word.code === undefined
      ? {}
      : { code: { reasons: word.code.reasons ?? [], writes: word.code.writes ?? {} } }),
  };
}

function weightsOf(name: string, { parameter, cases }: NonNullable<WorkloadWord['weights']>): unknown {
  const weights = entries(cases, (value, mix): [string, number] => [value, mix[name] ?? 0]);
  return { parameter, weights: Object.fromEntries(weights) };
}

function defineArgument(name: string, word: CellWord | List): unknown {
  const cell = typeof word === 'function' ? word() : word;
  if (!('kind' in cell)) return { name, ...cell };
  return {
    name,
    type: { kind: 'list' },
    length: cell.length,
    fields: entries(cell.fields, (field, fieldWord) => ({ name: field, ...cellOf(fieldWord) })),
  };
}

function defineReturns(word: OperationWord['returns']): unknown {
  if (word === undefined) return { kind: 'nothing' };
  if (isRecords(word)) {
    const listed = entries(word.listed, (name, cell) => ({ name, type: cellOf(cell).type }));
    return { kind: 'records', fields: listed };
  }
  if (!isFields(word)) return word;
  const fields = entries(word, (name, cell) => {
    const { type, of } = cellOf(cell);
    return { name, type, ...(of === undefined ? {} : { of }) };
  });
  return { kind: 'fields', fields };
}

function isRecords(word: NonNullable<OperationWord['returns']>): word is ReturnType<typeof records> {
  return word['kind'] === 'records' && 'listed' in word;
}

function isFields(word: NonNullable<OperationWord['returns']>): word is Named<CellWord> {
  return typeof word['kind'] !== 'string';
}

function cellOf(word: CellWord): Cell {
  return typeof word === 'function' ? word() : word;
}

function entries<T, R>(record: Named<T> | undefined, map: (name: string, value: T) => R): R[] {
  return Object.entries(record ?? {}).map(([name, value]) => map(name, value));
}
