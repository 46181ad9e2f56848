import { nothingAt } from '../nothing-at.ts';
import { isListValue, type ScalarValue, type Value, type Values } from '@fair-bench/contract';
import { writesOf } from '../checker.ts';
import {
  type PlannedOperation,
  type PlannedWorkload,
  type ResolvedColumn,
  type ResolvedOperation,
  type ResolvedReturns,
  type ResolvedSource,
  type ResolvedTable,
  sourceOf,
  type Workload,
} from '../resolved.ts';
import type { Effect, InsertEffect, Operand, Returns, Rule, SimpleEffect } from '../schema.ts';

/** A value of an operation's arguments; `record` is the place in the list, for fields of a list. */
export type Get = (values: Values, record: number) => ScalarValue;

/** A value of a description, which also says where it is, for a program that takes it itself. */
export interface BoundValue {
  (values: Values, record: number): ScalarValue;
  readonly source: BoundSource;
}
type BoundSource =
  Exclude<ResolvedSource, { kind: 'constant' }> | { readonly kind: 'constant'; readonly value: ScalarValue };

/** A row that an operation names: one, or one for each record of the list argument at `list`. */
export interface BoundRow {
  readonly table: ResolvedTable;
  readonly keys: readonly BoundValue[];
  readonly list: number | null;
  /** Of the first row of a table: by key column, the returned field that names it. Null for a row that is found by its key. */
  readonly first: readonly number[] | null;
  /** Whether an operation deletes rows of its table. */
  readonly deleted: boolean;
}

/** `list`: the argument over whose records the effect is repeated; null where it happens once. */
export type BoundEffect =
  | {
      readonly kind: 'add';
      readonly row: BoundRow;
      readonly column: number;
      readonly amount: BoundValue;
      readonly negative: boolean;
      readonly list: number | null;
    }
  | {
      readonly kind: 'insert';
      readonly table: ResolvedTable;
      /** By column. */
      readonly columns: readonly BoundColumn[];
      /** Whether a row that is there is kept; otherwise it is a fault. */
      readonly ifMissing: boolean;
      readonly list: number | null;
    }
  | {
      readonly kind: 'set';
      readonly row: BoundRow;
      readonly column: (values: Values) => number;
      /** The argument that chooses the column, and a column for each of its values; null where it is always the same. */
      readonly chosen: { readonly argument: number; readonly columns: readonly number[] } | null;
      readonly to: BoundValue;
      readonly list: number | null;
    }
  | { readonly kind: 'delete'; readonly row: BoundRow; readonly list: number | null };
export type BoundColumn =
  | { readonly kind: 'value'; readonly get: BoundValue }
  | { readonly kind: 'returned'; readonly field: number }
  | { readonly kind: 'unchecked' };

export interface BoundColumnOfRow {
  readonly kind: 'column';
  readonly row: BoundRow;
  readonly column: number;
}
export type BoundOperand =
  { readonly kind: 'value'; readonly get: BoundValue; readonly list: number | null } | BoundColumnOfRow;
export type BoundRule =
  | { readonly kind: 'missing' | 'exists'; readonly row: BoundRow }
  | { readonly kind: 'equal' | 'less'; readonly left: BoundOperand; readonly right: BoundOperand };

export type BoundReturns =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fields'; readonly count: number }
  | { readonly kind: 'records'; readonly count: number }
  | {
      readonly kind: 'row';
      readonly table: ResolvedTable;
      readonly keys: readonly BoundValue[];
      /** The column by which it is found; null for the key. */
      readonly by: number | null;
    }
  | { readonly kind: 'chosen-rows'; readonly table: ResolvedTable; readonly limit: BoundValue }
  | {
      readonly kind: 'scan';
      readonly table: ResolvedTable;
      readonly from: readonly BoundValue[];
      readonly prefix: readonly BoundValue[];
      readonly descending: boolean;
      readonly limit: BoundValue;
      /** Whether no row may be left out. */
      readonly complete: boolean;
      /** Only rows whose value in the column is at most that; null for all. */
      readonly until: { readonly column: number; readonly at: BoundValue } | null;
    };

/** An operation with what it returns, ready to evaluate: what the log needs of it. */
export interface BoundReply {
  readonly operation: PlannedOperation;
  readonly returns: BoundReturns;
}

/** An operation with its effects and rules too: what the replay and the model need. */
export interface BoundOperation extends BoundReply {
  readonly operation: ResolvedOperation;
  readonly effects: readonly BoundEffect[];
  readonly rules: readonly { readonly reason: number; readonly rule: BoundRule }[];
  /** By returned field, the column that it found; null for one that the server decides. */
  readonly found: readonly (BoundColumnOfRow | null)[];
}

/** How many records a list argument has in `values`. */
export function recordsOf(values: Values, list: number | null): number {
  if (list === null) return 1;
  const value = values[list];
  return isListValue(value) ? value.length : 0;
}

/** The list over whose records a rule is tried; null where it is tried once. */
export function listOfRule(rule: BoundRule): number | null {
  const listOf = (operand: BoundOperand): number | null =>
    operand.kind === 'value' ? operand.list : operand.row.list;
  return 'row' in rule ? rule.row.list : (listOf(rule.left) ?? listOf(rule.right));
}

export function evaluate(keys: readonly Get[], values: Values, record = 0): ScalarValue[] {
  return keys.map((get) => get(values, record));
}

/** What every operation of a workload returns. */
export function bindReplies({ tables, operations }: PlannedWorkload): BoundReply[] {
  return operations.map((operation) => ({ operation, returns: boundReturns(operation.returns, tables) }));
}

function boundReturns(returns: ResolvedReturns, tables: readonly ResolvedTable[]): BoundReturns {
  if (returns.kind === 'nothing') return { kind: 'nothing' };
  if ('fields' in returns) return { kind: returns.kind, count: returns.fields.length };
  const table = tables[returns.table];
  if (table === undefined) throw new Error(`there is no table ${returns.table}`);
  if (returns.kind === 'row') {
    return { kind: 'row', table, keys: returns.keys.map(getOf), by: returns.by ?? null };
  }
  const limit = getOf(returns.limit);
  if (returns.kind === 'chosen-rows') return { kind: 'chosen-rows', table, limit };
  const { descending, complete } = returns;
  const [from, prefix] = [returns.from.map(getOf), returns.prefix.map(getOf)];
  const until =
    returns.until === undefined ? null : { column: returns.until.column, at: getOf(returns.until.at) };
  return { kind: 'scan', table, from, prefix, descending, limit, complete, until };
}

function getOf(source: ResolvedSource): BoundValue {
  if (source.kind === 'constant') return constant(source.value);
  const { argument } = source;
  if (source.kind === 'argument') {
    return Object.assign((values: Values) => scalarOf(values[argument]), { source });
  }
  const { field } = source;
  const get = (values: Values, record: number): ScalarValue => {
    const value = values[argument];
    return isListValue(value) ? (value.fields[field]?.[record] ?? 0) : 0;
  };
  return Object.assign(get, { source });
}

/** Resolves the names of every operation of a workload. */
export function bindOperations(workload: Workload): BoundOperation[] {
  const writes = workload.description.operations.flatMap(writesOf);
  const deleted = new Set(writes.flatMap(({ kind, table }) => (kind === 'delete' ? [table] : [])));
  return workload.operations.map((operation) => new Binder(workload, operation, deleted).bind());
}

class Binder {
  readonly #workload: Workload;
  readonly #operation: ResolvedOperation;
  readonly #deletedTables: ReadonlySet<string>;

  constructor(workload: Workload, operation: ResolvedOperation, deletedTables: ReadonlySet<string>) {
    this.#workload = workload;
    this.#operation = operation;
    this.#deletedTables = deletedTables;
  }

  bind(): BoundOperation {
    const { description, reasons } = this.#operation;
    return {
      operation: this.#operation,
      effects: description.effects.map((effect) => this.#effect(effect)),
      rules: description.declines.map(({ reason, rule }) => ({
        reason: reasons.indexOf(reason),
        rule: this.#rule(rule),
      })),
      returns: boundReturns(this.#operation.returns, this.#workload.tables),
      found: this.#found(description.returns),
    };
  }

  #found(returns: Returns): (BoundColumnOfRow | null)[] {
    if (returns.kind !== 'fields') return [];
    return returns.fields.map(({ of }) => (of === undefined ? null : this.#columnOfRow(of)));
  }

  #effect(effect: Effect): BoundEffect {
    if (effect.kind === 'each') return this.#simple(effect.effect, this.#slot(effect.list));
    return this.#simple(effect, null);
  }

  #simple(effect: SimpleEffect, list: number | null): BoundEffect {
    if (effect.kind === 'insert') return this.#insert(effect, list);
    if (effect.kind === 'set-chosen') {
      const row = this.#row(effect.row);
      const slot = this.#slot(effect.at);
      const argument = this.#operation.arguments[slot];
      const options =
        argument?.kind === 'scalar' && argument.generator.kind === 'choice' ? argument.generator.options : [];
      const columns = options.map((name) => columnOf(row.table, name));
      const column = (values: Values): number => columns[Number(values[slot])] ?? nothingAt(slot);
      const chosen = { argument: slot, columns };
      return { kind: 'set', row, column, chosen, to: this.#get(effect.to), list };
    }
    if (effect.kind === 'delete') return { kind: 'delete', row: this.#row(effect.row), list };
    const [rowName = '', columnName = ''] = effect.target.split('.');
    const row = this.#row(rowName);
    const column = columnOf(row.table, columnName);
    if (effect.kind === 'set') {
      return { kind: 'set', row, column: () => column, chosen: null, to: this.#get(effect.to), list };
    }
    const { amount } = effect;
    if (typeof amount === 'number') {
      return { kind: 'add', row, column, amount: constant(BigInt(amount)), negative: false, list };
    }
    const negative = amount.startsWith('-');
    return { kind: 'add', row, column, amount: this.#get(amount.replace(/^-/, '')), negative, list };
  }

  #insert({ table: name, columns, ifMissing = false }: InsertEffect, list: number | null): BoundEffect {
    const table = this.#table(name);
    const bound = table.columns.map((column): BoundColumn => {
      const value = columns[column.name];
      if (value === undefined || (typeof value === 'object' && 'unchecked' in value))
        return { kind: 'unchecked' };
      if (typeof value === 'object') return { kind: 'returned', field: this.#field(value.returned) };
      return { kind: 'value', get: this.#typed(value, column) };
    });
    return { kind: 'insert', table, columns: bound, ifMissing, list };
  }

  #rule(rule: Rule): BoundRule {
    if (rule.kind === 'missing' || rule.kind === 'exists')
      return { kind: rule.kind, row: this.#row(rule.row) };
    return { kind: rule.kind, left: this.#operand(rule.left), right: this.#operand(rule.right) };
  }

  #operand(operand: Operand): BoundOperand {
    if (typeof operand !== 'string') return { kind: 'value', get: constant(operand), list: null };
    const [first = ''] = operand.split('.');
    if (this.#operation.description.rows.some(({ name }) => name === first))
      return this.#columnOfRow(operand);
    return { kind: 'value', get: this.#get(operand), list: this.#listOf([operand]) };
  }

  #columnOfRow(reference: string): BoundColumnOfRow {
    const [name = '', column = ''] = reference.split('.');
    const row = this.#row(name);
    return { kind: 'column', row, column: columnOf(row.table, column) };
  }

  #row(name: string): BoundRow {
    const found = this.#operation.description.rows.find((row) => row.name === name);
    if (found === undefined) this.#refuse('row', name);
    const table = this.#table(found.table);
    const first = found.keys.length === 0 ? this.#fieldsOf(name, table) : null;
    const deleted = this.#deletedTables.has(table.name);
    return { table, keys: this.#gets(found.keys), list: this.#listOf(found.keys), first, deleted };
  }

  /** The returned fields that have the key of a row. */
  #fieldsOf(row: string, { columns, keyColumns }: ResolvedTable): number[] {
    const { returns } = this.#operation.description;
    const fields = returns.kind === 'fields' ? returns.fields : [];
    return columns
      .slice(0, keyColumns)
      .map(({ name }) => fields.findIndex(({ of }) => of === `${row}.${name}`));
  }

  #gets(references: readonly string[]): BoundValue[] {
    return references.map((reference) => this.#get(reference));
  }

  #get(reference: string): BoundValue {
    const source = sourceOf(this.#operation.description.arguments, reference);
    const isUnknown = source.kind === 'field' ? source.field === -1 : this.#slot(reference) === -1;
    return isUnknown ? this.#refuse('argument', reference) : getOf(source);
  }

  /** A value in its column's form: a whole number is a big integer in a column of type int64. */
  #typed(value: string | number | boolean, column: ResolvedColumn): BoundValue {
    if (typeof value !== 'string') {
      return constant(column.type.kind === 'int64' && typeof value === 'number' ? BigInt(value) : value);
    }
    return this.#get(value);
  }

  #listOf(references: readonly string[]): number | null {
    const listed = references.find((reference) => reference.includes('.'));
    return listed === undefined ? null : this.#slot(listed.split('.')[0] ?? '');
  }

  #slot(name: string): number {
    const slot = this.#operation.arguments.findIndex((argument) => argument.name === name);
    return slot === -1 ? this.#refuse('argument', name) : slot;
  }

  #field(name: string): number {
    const { returns } = this.#operation.description;
    return returns.kind === 'fields' ? returns.fields.findIndex((field) => field.name === name) : -1;
  }

  #table(name: string): ResolvedTable {
    const found = this.#workload.tables.find((table) => table.name === name);
    return found ?? this.#refuse('table', name);
  }

  #refuse(what: string, name: string): never {
    throw new Error(
      `${this.#workload.description.name}: operation ${this.#operation.name} has no ${what} "${name}"; correct the description`,
    );
  }
}

export function bigOf(value: ScalarValue): bigint {
  return typeof value === 'bigint' ? value : BigInt(Number(value));
}

function constant(value: ScalarValue): BoundValue {
  return Object.assign(() => value, { source: { kind: 'constant', value } as const });
}

function scalarOf(value: Value | undefined): ScalarValue {
  return value === undefined || isListValue(value) ? nothingAt('an argument') : value;
}

function columnOf(table: ResolvedTable, name: string): number {
  const number = table.columns.findIndex((column) => column.name === name);
  if (number === -1) throw new Error(`table ${table.name} has no column "${name}"; correct the description`);
  return number;
}
