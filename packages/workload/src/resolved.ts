import {
  type JsonObject,
  jsonObjectSchema,
  nameSchema,
  type ScalarValue,
  storedSchema,
} from '@fair-bench/contract';
import { z } from 'zod';
import { mistakesOf, WorkloadError } from './parse.ts';
import {
  type Argument,
  isList,
  type Operation,
  scalarTypeSchema,
  type WorkloadDescription,
} from './schema.ts';

/** An integer beyond 2^53: a decimal string in JSON. */
const wide = z.codec(z.string().regex(/^-?\d{1,20}$/, 'a decimal integer, as a string'), z.bigint(), {
  decode: BigInt,
  encode: String,
});
const count = z.int().min(0);
const keyCount = z
  .int()
  .min(1)
  .max(2 ** 32);
const exponent = z.number().min(0).max(32);

/** Values min … min + count − 1; keys of a table, unless it is null. */
const over = { table: count.nullable(), min: wide, count: keyCount };
/** `not`: the place of an earlier argument, from whose value it differs. */
const differing = { not: count.nullable(), distinct: z.boolean() };

/** A generator with known numbers. */
const generatorSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), value: z.union([z.number(), z.boolean(), wide]) }),
  z.object({ kind: z.literal('uniform'), ...over, ...differing }),
  z.object({ kind: z.literal('zipf'), ...over, ...differing, exponent, scramble: z.boolean() }),
  z.object({ kind: z.literal('ycsb-zipf'), ...over, exponent }),
  z.object({ kind: z.literal('latest'), table: count, rows: count, exponent }),
  z.object({ kind: z.literal('fresh'), table: count, rows: count }),
  z.object({ kind: z.literal('operation') }),
  z.object({ kind: z.literal('chance'), percent: count }),
  z.object({ kind: z.literal('session'), ...over }),
  z.object({ kind: z.literal('nurand'), ...over, a: count, c: count }),
  /** `flag`: the place of a bool before it, in the same list where `isField`; `same`: the place of an argument. */
  z.object({
    kind: z.literal('either'),
    ...over,
    flag: count,
    isField: z.boolean(),
    same: count,
    differs: z.boolean(),
  }),
  z.object({
    kind: z.literal('syllables'),
    ...over,
    syllables: z.array(z.string()).length(10).readonly(),
    digits: count,
    a: count,
    c: count,
  }),
  z.object({ kind: z.literal('code') }),
  z.object({ kind: z.literal('content') }),
  z.object({ kind: z.literal('choice'), options: z.array(z.string()).min(1).readonly() }),
  z.object({ kind: z.literal('replied'), field: z.string(), hold: count, initial: wide }),
]);
export type ResolvedGenerator = z.infer<typeof generatorSchema>;

const fieldShape = { name: z.string(), type: scalarTypeSchema, generator: generatorSchema };
const fieldSchema = z.object(fieldShape);
export type ResolvedField = z.infer<typeof fieldSchema>;

const argumentSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('scalar'), ...fieldShape }),
  z.object({
    kind: z.literal('list'),
    name: z.string(),
    min: count,
    max: count.max(65_536),
    fields: z.array(fieldSchema).readonly(),
  }),
]);
export type ResolvedArgument = z.infer<typeof argumentSchema>;

const columnSchema = z.object({
  name: z.string(),
  type: scalarTypeSchema,
  seed: generatorSchema,
  /** Effects that change it. */
  added: z.boolean(),
  set: z.boolean(),
  /** Of a version: the place of the column with its writer's number. */
  writer: count.exactOptional(),
  stored: storedSchema.exactOptional(),
  storedAs: z.string().exactOptional(),
  nullable: z.literal(true).exactOptional(),
});
export type ResolvedColumn = z.infer<typeof columnSchema>;

const tableSchema = z.object({
  name: z.string(),
  storedAs: z.string().exactOptional(),
  number: count,
  /** How many values each column of the key takes in seeded rows. */
  extents: z.array(count).readonly(),
  /** The first value of each column of the key in seeded rows, where not all are 0. */
  firsts: z.array(count).readonly().exactOptional(),
  /** The product of the extents: seeded rows have the numbers 0 … rows − 1. */
  rows: count,
  /** How many of the first columns form the key. */
  keyColumns: z.int().min(1),
  columns: z.array(columnSchema).readonly(),
  indexes: z.array(z.array(z.string()).readonly()).readonly(),
  /** Whether an operation adds to, sets or inserts rows of it; other tables are loaded and scanned once per run. */
  written: z.boolean(),
});
export type ResolvedTable = z.infer<typeof tableSchema>;

/** A value of an operation's arguments; `field` is one of a record of a list. */
const sourceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), value: z.int() }),
  z.object({ kind: z.literal('argument'), argument: count }),
  z.object({ kind: z.literal('field'), argument: count, field: count }),
]);
export type ResolvedSource = z.infer<typeof sourceSchema>;
const sources = z.array(sourceSchema).readonly();

const returnedFields = z.array(z.object({ name: z.string(), type: scalarTypeSchema })).readonly();
const returnsSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('nothing') }),
  z.object({ kind: z.literal('fields'), fields: returnedFields }),
  z.object({ kind: z.literal('records'), fields: returnedFields }),
  z.object({
    kind: z.literal('row'),
    table: count,
    keys: sources,
    /** The column by which it is found, where that is not its key. */
    by: count.exactOptional(),
  }),
  z.object({
    kind: z.literal('scan'),
    table: count,
    from: sources,
    prefix: sources,
    descending: z.boolean(),
    limit: sourceSchema,
    /** Whether no row may be left out. */
    complete: z.boolean(),
    /** Only rows whose value in `column` is at most that of `at`. */
    until: z.object({ column: count, at: sourceSchema }).exactOptional(),
  }),
  z.object({ kind: z.literal('chosen-rows'), table: count, limit: sourceSchema }),
]);
export type ResolvedReturns = z.infer<typeof returnsSchema>;

const operationSchema = z.object({
  name: z.string(),
  number: count,
  weight: count,
  arguments: z.array(argumentSchema).readonly(),
  /** Its decline reasons, each once, in the order of the rules; a reason's number is its place here. */
  reasons: z.array(z.string()).readonly(),
  /** Whether it has an effect. */
  writes: z.boolean(),
  /** Whether it matters when it happened: its sent and settled times are logged. */
  timed: z.enum(['always', 'while-room', 'never']),
  returns: returnsSchema,
});
export type PlannedOperation = z.infer<typeof operationSchema>;

const plannedWorkloadSchema = z.object({
  name: nameSchema,
  /** Determines every draw and every seeded value: an unsigned 64-bit integer. */
  seed: wide,
  tables: z.array(tableSchema).min(1).readonly(),
  operations: z.array(operationSchema).min(1).readonly(),
});
/**
 * What a load client needs of a workload, as it stands in a trial plan: every number is known; tables, columns,
 * operations and arguments are identified by their places.
 */
export type PlannedWorkload = z.infer<typeof plannedWorkloadSchema>;

/** A parameter's value: an `int64` travels as a decimal string and is a bigint here. */
export type ParameterValue = number | bigint | boolean | string;

export interface ResolvedOperation extends PlannedOperation {
  readonly description: Operation;
}

/** A description with its parameters' values. The model and the replay use it, and compile the same streams from it. */
export interface Workload extends PlannedWorkload {
  readonly description: WorkloadDescription;
  readonly parameters: ReadonlyMap<string, ParameterValue>;
  readonly operations: readonly ResolvedOperation[];
  /** The rows that its load begins with; absent where they are the seeded ones. */
  readonly before?: RowsBefore;
}

/** Rows that an earlier load left, where nothing was seeded since. */
export interface RowsBefore {
  /** A cell of a seeded row; undefined for a column that no operation changes, which stays as it was seeded. */
  value(table: number, column: number, row: number): ScalarValue | undefined;
  /** The rows of a table that are not seeded ones. */
  inserted(table: number): RowsDigest;
}

/** Rows without an order: how many, and two sums of their hashes, which equal sets of rows share. */
export interface RowsDigest {
  readonly count: number;
  readonly sums: readonly [number, number];
}

/** Whether a trial draws an operation that writes; otherwise all rows stay as they were seeded. */
export function isWriteDrawn({ operations }: PlannedWorkload): boolean {
  return operations.some(({ weight, writes }) => weight > 0 && writes);
}

/** Whether a trial may change rows of a table: then its reads are logged. */
export function mayChange(workload: PlannedWorkload, { written }: ResolvedTable): boolean {
  return written && isWriteDrawn(workload);
}

/** Throws a RangeError where there is no such table. */
export function tableNumbered({ tables }: PlannedWorkload, number: number): ResolvedTable {
  const table = tables[number];
  if (table === undefined) throw new RangeError(`no table ${number}`);
  return table;
}

/** The part of a workload that a trial plan carries, as JSON. */
export function plannedJson(workload: PlannedWorkload): JsonObject {
  return jsonObjectSchema.parse(z.encode(plannedWorkloadSchema, workload));
}

/** Reads the workload of a trial plan. Throws a WorkloadError that names each wrong field. */
export function parsePlanned(json: unknown, source: string): PlannedWorkload {
  const parsed = plannedWorkloadSchema.safeParse(json);
  if (!parsed.success) throw new WorkloadError(source, mistakesOf(json, parsed.error));
  const mistakes = parsed.data.operations.flatMap((operation) =>
    misplaced(operation, parsed.data).map((message) => ({ path: ['operations', operation.name], message })),
  );
  if (parsed.data.operations.every(({ weight }) => weight === 0)) {
    mistakes.push({ path: ['operations'], message: 'at least one operation has a weight above 0' });
  }
  if (mistakes.length > 0) throw new WorkloadError(source, mistakes);
  return parsed.data;
}

/** Places that an operation names and that are not there. */
function misplaced({ arguments: all, returns }: PlannedOperation, { tables }: PlannedWorkload): string[] {
  const drawn = all.flatMap((argument, place) => {
    const fields = argument.kind === 'list' ? argument.fields : [argument];
    return fields.map(({ generator }) => ({ generator, place }));
  });
  const named = drawn.map(({ generator }) => ('table' in generator ? generator.table : null));
  const others = drawn.filter(
    ({ generator, place }) =>
      ('not' in generator && (generator.not ?? -1) >= place) ||
      (generator.kind === 'either' && generator.same >= place),
  );
  const tablesNamed = [...named, 'table' in returns ? returns.table : null];
  const unknown = sourcesOf(returns).filter((source) => {
    if (source.kind === 'constant') return false;
    const argument = all[source.argument];
    if (source.kind === 'argument') return argument?.kind !== 'scalar';
    return argument?.kind !== 'list' || source.field >= argument.fields.length;
  });
  return [
    ...tablesNamed.flatMap((table) =>
      table === null || table < tables.length ? [] : [`there is no table ${table}`],
    ),
    ...others.map(({ place }) => `argument ${place} differs from one that is not before it`),
    ...unknown.map((source) => `there is no ${JSON.stringify(source)}`),
  ];
}

function sourcesOf(returns: ResolvedReturns): readonly ResolvedSource[] {
  if (returns.kind === 'row') return returns.keys;
  if (returns.kind !== 'scan') return [];
  const { from, prefix, limit, until } = returns;
  return [...from, ...prefix, limit, ...(until === undefined ? [] : [until.at])];
}

/** A constant, an argument, or a field of a list of them. */
export function sourceOf(all: readonly Argument[], reference: string | number): ResolvedSource {
  if (typeof reference === 'number') return { kind: 'constant', value: reference };
  const [first = '', field] = reference.split('.');
  const argument = all.findIndex(({ name }) => name === first);
  const found = all[argument];
  if (field === undefined || found === undefined || !isList(found)) return { kind: 'argument', argument };
  return { kind: 'field', argument, field: found.fields.findIndex(({ name }) => name === field) };
}
