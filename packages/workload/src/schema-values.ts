import { z } from 'zod';

/** The parts of a description that say which values there are, and how they are drawn: SPECIFICATION.md, section 7. */
export const identifier = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'a lower-case name: a letter, then up to 30 letters, digits or "_"');
export const parameterName = z
  .string()
  .regex(
    /^[a-z][a-zA-Z0-9]{0,30}$/,
    'a parameter’s name: a lower-case letter, then up to 30 letters or digits',
  );
export const wholeDigits = /^-?\d{1,19}$/;

/** An argument, `list.field`, or `row.column`. */
export const reference = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,30}(\.[a-z][a-z0-9_]{0,30})?$/,
    'the name of an argument, "list.field" or "row.column"',
  );

/** A whole number, a decimal string (beyond 2^53), or the name of a parameter. */
export const boundSchema = z.union([z.int(), z.string().regex(wholeDigits), parameterName], {
  error: 'a whole number, a decimal string or the name of a parameter',
});
export type Bound = z.infer<typeof boundSchema>;

const exponent = z.union([z.number().min(0).max(32), parameterName], {
  error: 'a number from 0 to 32 or the name of a parameter',
});
const flag = z.union([z.boolean(), parameterName], { error: 'true, false or the name of a parameter' });

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
export const describedTypeSchema = z.discriminatedUnion('kind', typesWith(describedLength));
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
  /** Whether a percentage comes true. */
  z.strictObject({ kind: z.literal('chance'), percent: boundSchema }),
  /** The session's own one: its number modulo the values of the domain. */
  z.strictObject({ kind: z.literal('session'), over: domain }),
  /** TPC-C's non-uniform numbers (clause 2.1.6): `((uniform(0, a) | uniform(min, max)) + c) mod count + min`. */
  z.strictObject({ kind: z.literal('nurand'), over: domain, a: z.int().min(0).max(65_535), c: boundSchema }),
  /** The value of the argument `same` where the flag is true; else another one, of all but that where it `differs`. */
  z.strictObject({
    kind: z.literal('either'),
    flag: reference,
    same: identifier,
    over: domain,
    differs: z.boolean(),
  }),
  /** A name of syllables, one for each decimal digit of a number. */
  z.strictObject({
    kind: z.literal('syllables'),
    syllables: z.array(z.string().regex(/^[A-Z]{1,8}$/)).length(10),
    digits: z.int().min(1).max(4),
    over: domain,
    a: z.int().min(0).max(65_535),
    c: boundSchema,
  }),
  /** Of a column of a workload in code: a function of the row's key. */
  z.strictObject({ kind: z.literal('code') }),
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
export const simpleGenerator = z.discriminatedUnion('kind', simpleGenerators);
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
