import { nameSchema } from '@fair-bench/contract';
import { z } from 'zod';

/**
 * A workload as plain JSON: part of a trial plan, interpreted by both load clients. Arrays keep the declared order,
 * which determines the order of draws and the numbers of tables, operations and arguments. SPECIFICATION.md defines
 * each part; check.ts checks references within the description.
 */
const identifier = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'a lower-case name: a letter, then up to 30 letters, digits or "_"');
const parameterName = z
  .string()
  .regex(
    /^[a-z][a-zA-Z0-9]{0,30}$/,
    'a parameter’s name: a lower-case letter, then up to 30 letters or digits',
  );
const decimal = /^-?\d{1,19}$/;

/** An argument, `list.field`, or `row.column`. */
const reference = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,30}(\.[a-z][a-z0-9_]{0,30})?$/,
    'the name of an argument, "list.field" or "row.column"',
  );

/** A whole number, a decimal string (beyond 2^53), or the name of a parameter. */
const boundSchema = z.union([z.int(), z.string().regex(decimal), parameterName], {
  error: 'a whole number, a decimal string or the name of a parameter',
});
export type Bound = z.infer<typeof boundSchema>;

const exponent = z.union([z.number().min(0).max(32), parameterName], {
  error: 'a number from 0 to 32 or the name of a parameter',
});
const flag = z.union([z.boolean(), parameterName], { error: 'true, false or the name of a parameter' });

const about = z.string().min(1).max(200);
const option = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'an option’s name without its hyphens in front, such as "rows-max"',
  );
const shared = { name: parameterName, option, about };

const parameterSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...shared, type: z.literal('integer'), default: z.int(), min: z.int(), max: z.int() }),
  z.strictObject({
    ...shared,
    type: z.literal('int64'),
    default: z.string().regex(decimal, 'a decimal integer, as a string'),
    min: z.string().regex(decimal, 'a decimal integer, as a string'),
    max: z.string().regex(decimal, 'a decimal integer, as a string'),
  }),
  z.strictObject({
    ...shared,
    type: z.literal('number'),
    default: z.number(),
    min: z.number(),
    max: z.number(),
  }),
  z.strictObject({ ...shared, type: z.literal('boolean'), default: z.boolean() }),
  z.strictObject({
    ...shared,
    type: z.literal('choice'),
    default: z.string(),
    options: z.array(z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,30}$/)).min(1),
  }),
]);
export type Parameter = z.infer<typeof parameterSchema>;

export const contentLengthMax = 65_536;
const contentLength = z.int().min(1).max(contentLengthMax);
const typesWith = <T extends z.ZodType>(length: T) =>
  [
    z.strictObject({ kind: z.literal('key') }),
    z.strictObject({ kind: z.literal('int64') }),
    z.strictObject({ kind: z.literal('bool') }),
    z.strictObject({ kind: z.literal('text'), length }),
    z.strictObject({ kind: z.literal('bytes'), length }),
  ] as const;
export const scalarTypeSchema = z.discriminatedUnion('kind', typesWith(contentLength));
/** A column's or argument's type; a `key` is an unsigned 32-bit integer, `length` counts characters or bytes. */
export type ScalarType = z.infer<typeof scalarTypeSchema>;

const describedLength = z.union([contentLength, parameterName], {
  error: `a whole number from 1 to ${contentLengthMax}, or the name of a parameter`,
});
const describedTypeSchema = z.discriminatedUnion('kind', typesWith(describedLength));
/** A type whose length may be a parameter. */
export type DescribedType = z.infer<typeof describedTypeSchema>;

/** The range of a generator: one key column of a table's seeded rows, 0 … count − 1, or a range including both ends. */
const domain = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rows'), table: identifier, column: identifier.nullable() }),
  z.strictObject({ kind: z.literal('count'), count: boundSchema }),
  z.strictObject({ kind: z.literal('range'), min: boundSchema, max: boundSchema }),
]);
export type Domain = z.infer<typeof domain>;

const distinctness = { not: reference.nullable(), distinct: z.boolean() };
const simpleGenerators = [
  z.strictObject({ kind: z.literal('constant'), value: z.union([boundSchema, z.boolean()]) }),
  z.strictObject({ kind: z.literal('uniform'), over: domain, ...distinctness }),
  z.strictObject({ kind: z.literal('zipf'), over: domain, exponent, scramble: flag, ...distinctness }),
  z.strictObject({ kind: z.literal('ycsb-zipf'), over: domain, exponent }),
  z.strictObject({ kind: z.literal('latest'), table: identifier, exponent }),
  z.strictObject({ kind: z.literal('fresh'), table: identifier }),
  z.strictObject({ kind: z.literal('operation') }),
  /** Text or bytes of the type's length. */
  z.strictObject({ kind: z.literal('content') }),
  z.strictObject({ kind: z.literal('choice'), options: z.array(identifier).min(1).max(256) }),
  /** What an earlier reply of the session had in this field; a value is kept for `hold` operations at least. */
  z.strictObject({
    kind: z.literal('replied'),
    field: identifier,
    hold: z.int().min(0).max(1_000_000),
    initial: z.int(),
  }),
] as const;
const simpleGenerator = z.discriminatedUnion('kind', simpleGenerators);
export type SimpleGenerator = z.infer<typeof simpleGenerator>;

/** One generator for each value of a parameter of type `choice`, which may itself be chosen by another one. */
const chosenGenerator = z.strictObject({
  kind: z.literal('by-parameter'),
  parameter: parameterName,
  get cases(): z.ZodRecord<z.ZodString, z.ZodType<Generator>> {
    return z.record(z.string(), generatorSchema);
  },
});
export type Generator =
  SimpleGenerator | { kind: 'by-parameter'; parameter: string; cases: Record<string, Generator> };
export const generatorSchema: z.ZodType<Generator> = z.discriminatedUnion('kind', [
  ...simpleGenerators,
  chosenGenerator,
]);

export const tableSchema = z.strictObject({
  name: identifier,
  /** How many values each key column takes; their product is the number of seeded rows. 0 seeds none. */
  rows: z.array(boundSchema).min(1).max(3),
  /** The names of the key's columns, which come first in `columns`. */
  key: z.array(identifier).min(1).max(3),
  /** The key's columns first. The row's number determines their seeded values; their `generator` is not used. */
  columns: z
    .array(
      z.strictObject({
        name: identifier,
        type: describedTypeSchema,
        generator: simpleGenerator,
        /** Makes the column a version: each write raises it by 1, and leaves its operation's number in this column. */
        version: identifier.exactOptional(),
      }),
    )
    .min(1)
    .max(64),
  indexes: z.array(z.array(identifier).min(1).max(3)).max(8),
});
export type Table = z.infer<typeof tableSchema>;
export type Column = Table['columns'][number];

const field = z.strictObject({ name: identifier, type: describedTypeSchema, generator: generatorSchema });
export const argumentSchema = z.union([
  field,
  z.strictObject({
    name: identifier,
    type: z.strictObject({ kind: z.literal('list') }),
    length: z.strictObject({ min: boundSchema, max: boundSchema }),
    fields: z.array(field).min(1).max(16),
  }),
]);
export type Argument = z.infer<typeof argumentSchema>;
export type ScalarArgument = z.infer<typeof field>;
type ListArgument = Extract<Argument, { type: { kind: 'list' } }>;

export function isList(argument: Argument): argument is ListArgument {
  return argument.type.kind === 'list';
}

/** A reference, or a constant. */
const operand = z.union([reference, z.int(), z.boolean()], {
  error: 'an argument, "list.field", "row.column", a whole number, true or false',
});
export type Operand = z.infer<typeof operand>;

const ruleSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('missing'), row: identifier }),
  z.strictObject({ kind: z.literal('exists'), row: identifier }),
  z.strictObject({ kind: z.literal('equal'), left: operand, right: operand }),
  z.strictObject({ kind: z.literal('less'), left: operand, right: operand }),
]);
export type Rule = z.infer<typeof ruleSchema>;

const amount = z.union([
  z.int(),
  z
    .string()
    .regex(
      /^-?[a-z][a-z0-9_]{0,30}(\.[a-z][a-z0-9_]{0,30})?$/,
      'an argument or "list.field", with "-" in front to subtract it, or a whole number',
    ),
]);
/** The value of an inserted column. */
const insertedValue = z.union([
  operand,
  z.strictObject({ returned: identifier }),
  z.strictObject({ unchecked: z.literal(true) }),
]);
export type InsertedValue = z.infer<typeof insertedValue>;

const simpleEffects = [
  z.strictObject({ kind: z.literal('add'), target: reference, amount }),
  z.strictObject({
    kind: z.literal('insert'),
    table: identifier,
    columns: z.record(identifier, insertedValue),
    /** A row that is there is kept as it is; without it, that is a fault. */
    ifMissing: z.boolean().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('set'), target: reference, to: reference }),
  /** Sets the column that the argument `at` (a `choice` of column names) names. */
  z.strictObject({ kind: z.literal('set-chosen'), row: identifier, at: identifier, to: reference }),
  z.strictObject({ kind: z.literal('delete'), row: identifier }),
] as const;
const simpleEffect = z.discriminatedUnion('kind', simpleEffects);
export type SimpleEffect = z.infer<typeof simpleEffect>;
export type InsertEffect = Extract<SimpleEffect, { kind: 'insert' }>;
const effectSchema = z.discriminatedUnion('kind', [
  ...simpleEffects,
  z.strictObject({ kind: z.literal('each'), list: identifier, effect: simpleEffect }),
]);
export type Effect = z.infer<typeof effectSchema>;

const keys = z.array(reference).min(1).max(3);
export const returnsSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('nothing') }),
  /** The row before the operation's effects; none when it is missing. */
  z.strictObject({
    kind: z.literal('row'),
    table: identifier,
    keys,
    /** Not found by its key but by this column, which has one value in `keys`. */
    by: identifier.exactOptional(),
  }),
  /** Rows in the order of the key, from a key on or with a prefix of the key, at most `limit`. */
  z.strictObject({
    kind: z.literal('scan'),
    table: identifier,
    from: z.array(reference).max(3),
    prefix: z.array(reference).max(2),
    order: z.enum(['ascending', 'descending']),
    limit: z.union([z.int().min(1).max(65_536), reference]),
    /** Only rows that the server's time in `column` says were there at the time `at`. */
    until: z.strictObject({ column: identifier, at: reference }).exactOptional(),
  }),
  /** Rows of the table that the server chooses. */
  z.strictObject({ kind: z.literal('chosen-rows'), table: identifier, limit: z.int().min(1).max(65_536) }),
  z.strictObject({
    kind: z.literal('fields'),
    fields: z
      .array(
        z.strictObject({
          name: identifier,
          type: describedTypeSchema,
          /** The `row.column` whose value the operation found, before its effects. */
          of: reference.exactOptional(),
        }),
      )
      .min(1)
      .max(16),
  }),
]);
export type Returns = z.infer<typeof returnsSchema>;

const weight = z.int().min(0).max(1_000_000);
const weightSchema = z.union(
  [
    weight,
    parameterName,
    z.strictObject({ parameter: parameterName, weights: z.record(z.string(), weight) }),
  ],
  {
    error:
      'a whole number from 0 to 1000000, the name of a parameter, or { parameter, weights } by the values of a parameter',
  },
);

export const operationSchema = z.strictObject({
  name: identifier,
  weight: weightSchema,
  arguments: z.array(argumentSchema).max(32),
  /**
   * Rows that rules and effects name, found by their keys. A key that is a field of a list names one row per record. Without
   * keys it is the first row of its table that no other operation holds; the reply says which.
   */
  rows: z
    .array(z.strictObject({ name: identifier, table: identifier, keys: z.array(reference).max(3) }))
    .max(16),
  /** In order: the first rule that applies decides. */
  declines: z.array(z.strictObject({ reason: nameSchema, rule: ruleSchema })).max(32),
  effects: z.array(effectSchema).max(16),
  returns: returnsSchema,
  /** `content`: returned rows are whole and right; completeness is not asserted. */
  asserts: z.enum(['all', 'content']),
});
export type Operation = z.infer<typeof operationSchema>;

/** A parameter for sweeps, columns, cell ids, factors and charts, with its short label in cell ids. */
const axisSchema = z.strictObject({
  parameter: parameterName,
  label: z.string().regex(/^[a-z]{1,8}$/, 'one to eight lower-case letters'),
  /** Its name as a factor of a gap; by default the parameter's name. */
  factor: z.string().max(40).exactOptional(),
  /** The default values of a run. */
  sweep: z.array(z.union([z.number(), z.string(), z.boolean()])).max(32),
});

export type Axis = z.infer<typeof axisSchema>;

const descriptionVersion = 1;

export const descriptionSchema = z.strictObject({
  version: z.literal(descriptionVersion),
  name: nameSchema,
  about: z.string().max(400),
  parameters: z.array(parameterSchema).max(32),
  tables: z.array(tableSchema).min(1).max(16),
  operations: z.array(operationSchema).min(1).max(32),
  axes: z.array(axisSchema).max(8),
});
export type WorkloadDescription = z.infer<typeof descriptionSchema>;
