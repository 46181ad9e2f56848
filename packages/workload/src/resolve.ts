import type { JsonObject } from '@fair-bench/contract';
import { z } from 'zod';
import { type Mistake, writesOf } from './checker.ts';
import { mistakesOf, WorkloadError } from './parse.ts';
import { sourceOf } from './resolved.ts';
import { inSql } from './shape.ts';
import type {
  ParameterValue,
  ResolvedArgument,
  ResolvedField,
  ResolvedGenerator,
  ResolvedOperation,
  ResolvedReturns,
  ResolvedTable,
  Workload,
} from './resolved.ts';
import { isList } from './schema.ts';
import { timedOf } from './timed.ts';
import type {
  Argument,
  Bound,
  DescribedType,
  Domain,
  Generator,
  Operation,
  Parameter,
  ScalarArgument,
  ScalarType,
  SimpleGenerator,
  Table,
  WorkloadDescription,
} from './schema.ts';

const seedSchema = z
  .string()
  .regex(/^\d{1,20}$/, 'a decimal integer from 0 to 2^64 − 1, as a string')
  .refine((digits) => BigInt(digits) <= 0xffff_ffff_ffff_ffffn, 'at most 2^64 − 1');

/** The parameters of a plan if the user sets none: `seed` and each parameter's default. */
export function defaultParameters(description: WorkloadDescription): JsonObject {
  const defaults = description.parameters.map((each): [string, number | boolean | string] => [
    each.name,
    each.default,
  ]);
  return { seed: '42', ...Object.fromEntries(defaults) };
}

/**
 * Puts the parameters of a trial plan (all of them, and `seed`) into a description. Throws a WorkloadError that names
 * the parameter and what it accepts.
 */
export function resolveWorkload(description: WorkloadDescription, parameters: unknown): Workload {
  const source = `workload ${description.name}`;
  const shape = Object.fromEntries(description.parameters.map((each) => [each.name, schemaOf(each)]));
  const parsed = z.strictObject({ ...shape, seed: seedSchema }).safeParse(parameters);
  if (!parsed.success) {
    const mistakes = mistakesOf(parameters, parsed.error);
    throw new WorkloadError(
      source,
      mistakes.map(({ path, message }) => ({ path: ['parameters', ...path], message })),
    );
  }
  const resolver = new Resolver(description, parsed.data);
  const tables = description.tables.map((table, number) => resolver.table(table, number));
  const operations = description.operations.map((operation, number) => resolver.operation(operation, number));
  resolver.finish(source, operations);
  const { name } = description;
  return {
    name,
    description,
    seed: BigInt(parsed.data.seed),
    parameters: resolver.values,
    tables,
    operations,
  };
}

function writerOf({ columns }: Table, writer: string): number {
  return columns.findIndex(({ name }) => name === writer);
}

function schemaOf(parameter: Parameter): z.ZodType<number | boolean | string> {
  if (parameter.type === 'integer') return z.int().min(parameter.min).max(parameter.max);
  if (parameter.type === 'number') return z.number().min(parameter.min).max(parameter.max);
  if (parameter.type === 'boolean') return z.boolean();
  if (parameter.type === 'choice') return z.enum(parameter.options);
  const { min, max } = parameter;
  const accepted = `a decimal integer from ${min} to ${max}, as a string`;
  const decimal = /^-?\d{1,19}$/;
  return z
    .string()
    .refine(
      (digits) => decimal.test(digits) && BigInt(digits) >= BigInt(min) && BigInt(digits) <= BigInt(max),
      accepted,
    );
}

const keyMax = 2 ** 32;

class Resolver {
  readonly values = new Map<string, ParameterValue>();
  readonly #description: WorkloadDescription;
  readonly #mistakes: Mistake[] = [];

  constructor(description: WorkloadDescription, parameters: Readonly<Record<string, unknown>>) {
    this.#description = description;
    for (const { name, type } of description.parameters) {
      const value = parameters[name];
      if (typeof value === 'string' && type === 'int64') this.values.set(name, BigInt(value));
      else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
        this.values.set(name, value);
      }
    }
  }

  table(table: Table, number: number): ResolvedTable {
    const path = ['tables', table.name];
    const extents = table.rows.map((bound) => Number(this.#bound(bound)));
    const rows = extents.reduce((product, extent) => product * extent, 1);
    if (extents.some((extent) => extent < 0) || rows > keyMax) {
      this.#mistakes.push({ path: [...path, 'rows'], message: `0 to 2^32 rows, got ${extents.join(' × ')}` });
    }
    const effects = this.#description.operations.flatMap((operation) => writesOf(operation));
    const own = effects.filter((effect) => effect.table === table.name);
    const isWrittenInCode = this.#description.operations.some(
      ({ code }) => code?.writes[table.name] !== undefined,
    );
    const columns = table.columns.map((column) => ({
      name: column.name,
      type: this.#type(column.type),
      seed: this.#generator(column.generator, column.type, [...path, column.name]),
      added: own.some(({ kind, columns: changed }) => kind === 'add' && changed.includes(column.name)),
      set: own.some(({ kind, columns: changed }) => kind === 'set' && changed.includes(column.name)),
      ...(column.version === undefined ? {} : { writer: writerOf(table, column.version) }),
      ...inSql(column),
    }));
    return {
      name: table.name,
      ...inSql(table),
      number,
      extents,
      ...(table.firsts === undefined ? {} : { firsts: table.firsts }),
      rows,
      keyColumns: table.key.length,
      columns,
      indexes: table.indexes,
      written: own.length > 0 || isWrittenInCode,
    };
  }

  operation(operation: Operation, number: number): ResolvedOperation {
    const path = ['operations', operation.name];
    return {
      name: operation.name,
      number,
      weight: this.#weight(operation.weight),
      arguments: operation.arguments.map((each) =>
        this.#argument(each, operation, [...path, 'arguments', each.name]),
      ),
      description: operation,
      reasons: operation.code?.reasons ?? [...new Set(operation.declines.map(({ reason }) => reason))],
      writes: operation.effects.length > 0 || Object.keys(operation.code?.writes ?? {}).length > 0,
      timed: timedOf(operation, this.#description.operations, (each) => this.#weight(each.weight) > 0),
      returns: this.#returns(operation),
    };
  }

  finish(source: string, operations: readonly ResolvedOperation[]): void {
    if (operations.every(({ weight }) => weight === 0)) {
      this.#mistakes.push({ path: ['operations'], message: 'at least one operation has a weight above 0' });
    }
    if (this.#mistakes.length > 0) throw new WorkloadError(source, this.#mistakes);
  }

  #returns({ arguments: all, asserts, returns }: Operation): ResolvedReturns {
    const { kind } = returns;
    if (kind === 'nothing') return returns;
    if (kind === 'fields' || kind === 'records')
      return { kind, fields: returns.fields.map(({ name, type }) => ({ name, type: this.#type(type) })) };
    const table = this.#description.tables.findIndex(({ name }) => name === returns.table);
    const sourcesOf = (references: readonly string[]) => references.map((each) => sourceOf(all, each));
    const placeOf = (column: string): number =>
      this.#description.tables[table]?.columns.findIndex(({ name }) => name === column) ?? -1;
    if (kind === 'row' && returns.by === undefined) return { kind, table, keys: sourcesOf(returns.keys) };
    if (kind === 'row') return { kind, table, keys: sourcesOf(returns.keys), by: placeOf(returns.by ?? '') };
    const limit = sourceOf(all, returns.limit);
    if (kind === 'chosen-rows') return { kind, table, limit };
    const [from, prefix] = [sourcesOf(returns.from), sourcesOf(returns.prefix)];
    const descending = returns.order === 'descending';
    if (returns.until === undefined)
      return { kind, table, from, prefix, descending, limit, complete: asserts === 'all' };
    const until = { column: placeOf(returns.until.column), at: sourceOf(all, returns.until.at) };
    return { kind, table, from, prefix, descending, limit, complete: asserts === 'all', until };
  }

  #weight(weight: Operation['weight']): number {
    if (typeof weight === 'number') return weight;
    if (typeof weight === 'string') return Number(this.values.get(weight) ?? 0);
    return weight.weights[String(this.values.get(weight.parameter))] ?? 0;
  }

  #argument(argument: Argument, operation: Operation, path: readonly string[]): ResolvedArgument {
    if (!isList(argument)) return { kind: 'scalar', ...this.#field(argument, operation, path) };
    const min = Number(this.#bound(argument.length.min));
    const max = Number(this.#bound(argument.length.max));
    if (min < 0 || max < min || max > 65_536) {
      this.#mistakes.push({
        path: [...path, 'length'],
        message: `0 ≤ min ≤ max ≤ 65536, got ${min} to ${max}`,
      });
    }
    const fields = argument.fields.map((field) => this.#field(field, operation, [...path, field.name]));
    for (const { name, generator } of fields) {
      if ('distinct' in generator && generator.distinct && generator.count < max) {
        const message = `${max} records cannot differ in one of ${generator.count} values; raise the values or lower the records`;
        this.#mistakes.push({ path: [...path, name], message });
      }
    }
    return { kind: 'list', name: argument.name, min, max, fields };
  }

  #field(
    { name, type, generator }: ScalarArgument,
    { arguments: all }: Operation,
    path: readonly string[],
  ): ResolvedField {
    const resolved = this.#generator(this.#chosen(generator), type, path, all);
    return { name, type: this.#type(type), generator: resolved };
  }

  #type(type: DescribedType): ScalarType {
    return 'length' in type ? { kind: type.kind, length: Number(this.#bound(type.length)) } : type;
  }

  #chosen(generator: Generator): SimpleGenerator {
    if (generator.kind !== 'by-parameter') return generator;
    const chosen = generator.cases[String(this.values.get(generator.parameter))];
    return chosen === undefined ? { kind: 'constant', value: 0 } : this.#chosen(chosen);
  }

  #generator(
    generator: SimpleGenerator,
    type: DescribedType,
    path: readonly string[],
    all: readonly Argument[] = [],
  ): ResolvedGenerator {
    const { kind } = generator;
    if (kind === 'operation' || kind === 'content' || kind === 'choice' || kind === 'code') return generator;
    if (kind === 'chance') return { kind, percent: Number(this.#bound(generator.percent)) };
    if (kind === 'constant') return { kind, value: this.#constant(generator.value, type) };
    if (kind === 'replied') return { ...generator, initial: BigInt(generator.initial) };
    if (kind === 'fresh') return { kind, ...this.#rowsOf(generator.table) };
    if (kind === 'latest') {
      return { kind, ...this.#rowsOf(generator.table), exponent: this.#exponent(generator.exponent) };
    }
    const domain = this.#domain(generator.over, type, path);
    if (kind === 'session') return { kind, ...domain };
    if (kind === 'syllables') {
      const { syllables, digits, a, c } = generator;
      const named = { ...domain, min: 0n, count: Math.min(domain.count, 10 ** digits) };
      return { kind, ...named, syllables, digits, a, c: Number(this.#bound(c)) };
    }
    if (kind === 'nurand') return { kind, ...domain, a: generator.a, c: Number(this.#bound(generator.c)) };
    if (kind === 'either') return { kind, ...domain, ...eitherPlaces(generator, all) };
    if (kind === 'ycsb-zipf') return { kind, ...domain, exponent: this.#exponent(generator.exponent) };
    const { distinct } = generator;
    const not = generator.not === null ? null : all.findIndex(({ name }) => name === generator.not);
    if (kind === 'uniform') return { kind, ...domain, not, distinct };
    const scramble = this.#flag(generator.scramble);
    return { kind, ...domain, not, distinct, exponent: this.#exponent(generator.exponent), scramble };
  }

  #rowsOf(name: string): { table: number; rows: number } {
    const table = this.#description.tables.findIndex((each) => each.name === name);
    const rows = this.#description.tables[table]?.rows ?? [];
    return { table, rows: rows.reduce<number>((product, bound) => product * Number(this.#bound(bound)), 1) };
  }

  #domain(domain: Domain, type: DescribedType, path: readonly string[]) {
    const { table, min, count } = this.#extent(domain);
    if (count < 1 || count > keyMax) {
      const message = `1 to 2^32 values, got ${count}; change the bounds`;
      this.#mistakes.push({ path: [...path], message });
    } else if (type.kind === 'key' && (min < 0n || min + BigInt(count) > BigInt(keyMax))) {
      this.#mistakes.push({ path: [...path], message: 'a key is from 0 to 2^32 − 1; change the bounds' });
    }
    return { table, min, count };
  }

  #extent(domain: Domain): { table: number | null; min: bigint; count: number } {
    if (domain.kind === 'count') return { table: null, min: 0n, count: Number(this.#bound(domain.count)) };
    if (domain.kind === 'range') {
      const min = this.#bound(domain.min);
      return { table: null, min, count: Number(this.#bound(domain.max) - min) + 1 };
    }
    const number = this.#description.tables.findIndex((each) => each.name === domain.table);
    const table = this.#description.tables[number];
    const place = domain.column === null ? 0 : (table?.key.indexOf(domain.column) ?? 0);
    const min = BigInt(table?.firsts?.[place] ?? 0);
    return { table: number, min, count: Number(this.#bound(table?.rows[place] ?? 0)) };
  }

  #constant(value: Bound | boolean, type: DescribedType): number | bigint | boolean {
    const known = typeof value === 'string' && this.values.has(value) ? this.values.get(value) : value;
    if (typeof known === 'boolean') return known;
    return type.kind === 'int64' ? BigInt(known ?? 0) : Number(known ?? 0);
  }

  #bound(bound: Bound): bigint {
    const value = typeof bound === 'string' ? (this.values.get(bound) ?? bound) : bound;
    return BigInt(value);
  }

  #exponent(exponent: number | string): number {
    return typeof exponent === 'string' ? Number(this.values.get(exponent)) : exponent;
  }

  #flag(flag: boolean | string): boolean {
    return typeof flag === 'string' ? this.values.get(flag) === true : flag;
  }
}

function eitherPlaces(
  { flag, same, differs }: Extract<SimpleGenerator, { kind: 'either' }>,
  all: readonly Argument[],
): { readonly flag: number; readonly isField: boolean; readonly same: number; readonly differs: boolean } {
  const found = sourceOf(all, flag);
  const isField = found.kind === 'field';
  const place = found.kind === 'field' ? found.field : found.kind === 'argument' ? found.argument : -1;
  return { flag: place, isField, same: all.findIndex(({ name }) => name === same), differs };
}
