import { nameSchema, storedNameSchema, storedSchema } from '@fair-bench/contract';
import { z } from 'zod';
import {
  boundSchema,
  wholeDigits,
  describedTypeSchema,
  generatorSchema,
  identifier,
  parameterName,
  reference,
  simpleGenerator,
} from './schema-values.ts';

export * from './schema-values.ts';

/**
 * A workload as plain JSON: part of a trial plan, interpreted by both load clients. Arrays keep the declared order,
 * which determines the order of draws and the numbers of tables, operations and arguments. SPECIFICATION.md defines
 * each part; check.ts checks references within the description.
 */
const about = z.string().min(1).max(200);
const option = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'an option’s name without its hyphens in front, such as "rows-max"',
  );
const shared = { name: parameterName, option, about };

const parameterSchema = z.discriminatedUnion('type', [
  z.strictObject({
    ...shared,
    type: z.literal('integer'),
    default: z.int(),
    min: z.int(),
    max: z.int(),
    /** Its value for a trial with little data; by default that of all others which count rows. */
    small: z.int().exactOptional(),
  }),
  z.strictObject({
    ...shared,
    type: z.literal('int64'),
    default: z.string().regex(wholeDigits, 'a decimal integer, as a string'),
    min: z.string().regex(wholeDigits, 'a decimal integer, as a string'),
    max: z.string().regex(wholeDigits, 'a decimal integer, as a string'),
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

/** How a system with SQL stores a column, which is the same everywhere else. */
const inSql = {
  /** Of an int64 or a key. */
  stored: storedSchema.exactOptional(),
  /** Its name there, where that is another. */
  storedAs: storedNameSchema.exactOptional(),
  /** Whether it may be null, which is −2⁶³ everywhere else. */
  nullable: z.literal(true).exactOptional(),
};

export const tableSchema = z.strictObject({
  name: identifier,
  /** Its name in a system with SQL, where that is another. */
  storedAs: storedNameSchema.exactOptional(),
  /** How many values each key column takes; their product is the number of seeded rows. 0 seeds none. */
  rows: z.array(boundSchema).min(1).max(4),
  /** The first value of each key column in seeded rows; 0 by default. */
  firsts: z.array(z.int().min(0)).max(4).exactOptional(),
  /** The names of the key's columns, which come first in `columns`. */
  key: z.array(identifier).min(1).max(4),
  /** The key's columns first. The row's number determines their seeded values; their `generator` is not used. */
  columns: z
    .array(
      z.strictObject({
        name: identifier,
        type: describedTypeSchema,
        generator: simpleGenerator,
        /** Makes the column a version: each write raises it by 1, and leaves its operation's number in this column. */
        version: identifier.exactOptional(),
        ...inSql,
      }),
    )
    .min(1)
    .max(64),
  indexes: z.array(z.array(identifier).min(1).max(5)).max(8),
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

const keys = z.array(reference).min(1).max(4);
const typedFields = z
  .array(z.strictObject({ name: identifier, type: describedTypeSchema }))
  .min(1)
  .max(32);
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
    from: z.array(reference).max(4),
    prefix: z.array(reference).max(3),
    order: z.enum(['ascending', 'descending']),
    limit: z.union([z.int().min(1).max(65_536), reference]),
    /** Only rows that the server's time in `column` says were there at the time `at`. */
    until: z.strictObject({ column: identifier, at: reference }).exactOptional(),
  }),
  /** Rows of the table that the server chooses. */
  z.strictObject({ kind: z.literal('chosen-rows'), table: identifier, limit: z.int().min(1).max(65_536) }),
  /** Rows of typed values, as many as the operation says. */
  z.strictObject({ kind: z.literal('records'), fields: typedFields }),
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
    .array(z.strictObject({ name: identifier, table: identifier, keys: z.array(reference).max(4) }))
    .max(16),
  /** In order: the first rule that applies decides. */
  declines: z.array(z.strictObject({ reason: nameSchema, rule: ruleSchema })).max(32),
  effects: z.array(effectSchema).max(16),
  returns: returnsSchema,
  /** `content`: returned rows are whole and right; completeness is not asserted. */
  asserts: z.enum(['all', 'content']),
  /** What people call it in a report, and for how many milliseconds 90 of a hundred may take. */
  reported: z
    .strictObject({
      as: z.string().min(1).max(60).exactOptional(),
      p90MsMax: z.number().positive().exactOptional(),
    })
    .exactOptional(),
  /** Of an operation in code, which a function of the workload's file carries out in the model. */
  code: z
    .strictObject({
      /** Why it may be declined. */
      reasons: z.array(nameSchema).max(32),
      /** By table that it writes, the most rows. */
      writes: z.record(identifier, z.int().min(1)),
    })
    .exactOptional(),
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
  /** Of a workload in code: the SHA-256 of its functions, which JSON cannot have. */
  code: z.string().exactOptional(),
});
export type WorkloadDescription = z.infer<typeof descriptionSchema>;
