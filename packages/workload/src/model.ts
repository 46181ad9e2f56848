import type { Row, ScalarValue, Value, Values } from '@fair-bench/contract';
import { createSeededRows } from './seeded.ts';
import { MemoryStore, type ModelRow, type Store } from './store.ts';
import type { ResolvedOperation, ResolvedTable, Workload } from './resolved.ts';
import type { InsertedValue, Operand, Rule, SimpleEffect } from './schema.ts';

export type ModelOutcome =
  /** `rows` is null unless the operation returns a row or a scan: other replies are the server's. */
  | { readonly kind: 'applied'; readonly rows: readonly ModelRow[] | null }
  /** `rule` is the number of the rule that decided. */
  | { readonly kind: 'declined'; readonly reason: string; readonly rule: number }
  | { readonly kind: 'fault'; readonly code: 'invalid-request' | 'server-error'; readonly message: string };

/** Carries operations out over a store, one at a time, as SPECIFICATION.md says: the declines, the effects, the reply. */
export class Model {
  readonly workload: Workload;
  readonly #store: Store;

  constructor(workload: Workload, store: Store) {
    this.workload = workload;
    this.#store = store;
  }

  /** `values` are the arguments of operation number `number`, in declared order. */
  execute(number: number, values: Values): ModelOutcome {
    const operation = this.workload.operations[number];
    if (operation === undefined)
      throw new Error(`workload ${this.workload.description.name}: no operation ${number}`);
    return new Execution(this.workload, operation, values, this.#store).run();
  }
}

/** A model over rows in memory, seeded. */
export function createSeededModel(workload: Workload): { model: Model; store: MemoryStore } {
  const store = new MemoryStore(workload.tables.map(({ keyColumns }) => keyColumns));
  for (const table of workload.tables) {
    const rowOf = createSeededRows(workload, table);
    for (let number = 0; number < table.rows; number += 1) store.put(table.number, rowOf(number));
  }
  return { model: new Model(workload, store), store };
}

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

class EffectFault extends Error {
  readonly code: 'invalid-request' | 'server-error';

  constructor(code: 'invalid-request' | 'server-error', message: string) {
    super(message);
    this.code = code;
  }
}

class Execution {
  readonly #workload: Workload;
  readonly #operation: ResolvedOperation;
  readonly #values: Values;
  readonly #store: Store;
  /** Rows that effects have changed, by table and key; they reach the store together. */
  readonly #changed = new Map<string, { readonly table: number; readonly row: ModelRow }>();

  constructor(workload: Workload, operation: ResolvedOperation, values: Values, store: Store) {
    this.#workload = workload;
    this.#operation = operation;
    this.#values = values;
    this.#store = store;
  }

  run(): ModelOutcome {
    const { declines, effects } = this.#operation.description;
    const rule = declines.findIndex((decline) => this.#declines(decline.rule));
    const declined = declines[rule];
    if (declined !== undefined) return { kind: 'declined', reason: declined.reason, rule };
    const rows = this.#reply();
    try {
      for (const effect of effects) {
        if (effect.kind !== 'each') this.#apply(effect, 0);
        else for (let at = 0; at < this.#lengthOf(effect.list); at += 1) this.#apply(effect.effect, at);
      }
    } catch (error) {
      if (error instanceof EffectFault) return { kind: 'fault', code: error.code, message: error.message };
      throw error;
    }
    for (const { table, row } of this.#changed.values()) this.#store.put(table, row);
    return { kind: 'applied', rows };
  }

  #declines(rule: Rule): boolean {
    const references =
      rule.kind === 'missing' || rule.kind === 'exists' ? [rule.row] : [rule.left, rule.right];
    const list = references.map((reference) => this.#listOf(reference)).find((name) => name !== null);
    const records = list === undefined || list === null ? 1 : this.#lengthOf(list);
    for (let at = 0; at < records; at += 1) if (this.#holds(rule, at)) return true;
    return false;
  }

  #holds(rule: Rule, at: number): boolean {
    if (rule.kind === 'missing') return this.#row(rule.row, at).row === null;
    if (rule.kind === 'exists') return this.#row(rule.row, at).row !== null;
    const [left, right] = [this.#operand(rule.left, at), this.#operand(rule.right, at)];
    if (left === null || right === null) return false;
    if (rule.kind === 'less') return left < right;
    return !(left < right) && !(left > right);
  }

  #apply(effect: SimpleEffect, at: number): void {
    if (effect.kind === 'insert') {
      this.#insert(this.#table(effect.table), effect.columns, at);
      return;
    }
    const [name = '', column = ''] =
      effect.kind === 'set-chosen' ? [effect.row, this.#chosen(effect.at)] : effect.target.split('.');
    const { table, row } = this.#row(name, at);
    if (row === null) return;
    const place = table.columns.findIndex((each) => each.name === column);
    const value =
      effect.kind === 'add' ? this.#sum(row[place], effect.amount, at) : this.#operand(effect.to, at);
    this.#change(table, row.with(place, value));
  }

  #sum(before: ScalarValue | null | undefined, amount: string | number, at: number): bigint {
    const negative = typeof amount === 'string' && amount.startsWith('-');
    const added = integerOf(this.#operand(negative ? amount.slice(1) : amount, at));
    const sum = integerOf(before ?? 0n) + (negative ? -added : added);
    if (sum < int64Min || sum > int64Max)
      throw new EffectFault('invalid-request', 'the sum is beyond 64 bits');
    return sum;
  }

  #insert(table: ResolvedTable, columns: Readonly<Record<string, InsertedValue>>, at: number): void {
    const row = table.columns.map(({ name, type }) => {
      const source = columns[name];
      if (source === undefined || typeof source === 'object') return null;
      const value = this.#operand(source, at);
      if (value instanceof Uint8Array) return value.slice();
      return type.kind === 'int64' && typeof value === 'number' ? BigInt(value) : value;
    });
    const key = keyOf(row.slice(0, table.keyColumns));
    if (this.#get(table, key) !== null)
      throw new EffectFault('server-error', `${table.name} ${key.join(' ')} is there already`);
    this.#change(table, row);
  }

  #reply(): readonly ModelRow[] | null {
    const { returns } = this.#operation.description;
    if (returns.kind === 'row') {
      const row = this.#get(this.#table(returns.table), this.#keys(returns.keys, 0));
      return row === null ? [] : [row];
    }
    if (returns.kind !== 'scan') return null;
    return this.#store.range(this.#table(returns.table).number, {
      from: this.#keys(returns.from, 0),
      prefix: this.#keys(returns.prefix, 0),
      descending: returns.order === 'descending',
      limit: Number(this.#operand(returns.limit, 0)),
    });
  }

  #row(name: string, at: number): { table: ResolvedTable; row: ModelRow | null } {
    const named = this.#operation.description.rows.find((each) => each.name === name);
    const table = this.#table(named?.table ?? '');
    return { table, row: this.#get(table, this.#keys(named?.keys ?? [], at)) };
  }

  #get(table: ResolvedTable, key: Row): ModelRow | null {
    return this.#changed.get(`${table.number} ${key.join(' ')}`)?.row ?? this.#store.get(table.number, key);
  }

  #change(table: ResolvedTable, row: ModelRow): void {
    this.#changed.set(`${table.number} ${row.slice(0, table.keyColumns).join(' ')}`, {
      table: table.number,
      row,
    });
  }

  #keys(references: readonly string[], at: number): Row {
    return keyOf(references.map((reference) => this.#operand(reference, at)));
  }

  /** The value of an operand; null when its row is missing. */
  #operand(operand: Operand, at: number): ScalarValue | null {
    if (typeof operand !== 'string') return operand;
    const [name = '', member] = operand.split('.');
    const value = this.#argument(name);
    if (member === undefined) return isScalar(value) ? value : null;
    if (value === undefined) {
      const { table, row } = this.#row(name, at);
      return row?.[table.columns.findIndex((each) => each.name === member)] ?? null;
    }
    if (isScalar(value)) return null;
    const list = this.#operation.arguments.find((each) => each.name === name);
    const field = list?.kind === 'list' ? list.fields.findIndex((each) => each.name === member) : -1;
    return value.fields[field]?.[at] ?? null;
  }

  #argument(name: string): Value | undefined {
    return this.#values[this.#operation.arguments.findIndex((each) => each.name === name)];
  }

  /** The list that a reference belongs to, by itself or by its row's key. */
  #listOf(reference: Operand): string | null {
    if (typeof reference !== 'string') return null;
    const [name = ''] = reference.split('.');
    if (this.#operation.arguments.some((each) => each.name === name && each.kind === 'list')) return name;
    const named = this.#operation.description.rows.find((each) => each.name === name);
    return named?.keys.map((key) => this.#listOf(key)).find((list) => list !== null) ?? null;
  }

  #lengthOf(list: string): number {
    const value = this.#argument(list);
    return value === undefined || isScalar(value) ? 0 : value.length;
  }

  #chosen(at: string): string {
    const argument = this.#operation.arguments.find(({ name }) => name === at);
    const options =
      argument?.kind === 'scalar' && argument.generator.kind === 'choice' ? argument.generator.options : [];
    return options[Number(this.#argument(at))] ?? '';
  }

  #table(name: string): ResolvedTable {
    const table = this.#workload.tables.find((each) => each.name === name);
    if (table === undefined) throw new Error(`workload ${this.#workload.description.name}: no table ${name}`);
    return table;
  }
}

function keyOf(values: ModelRow): Row {
  return values.map((value) => value ?? 0);
}

function isScalar(value: Value | undefined): value is ScalarValue {
  return value !== undefined && (typeof value !== 'object' || value instanceof Uint8Array);
}

function integerOf(value: ScalarValue | null): bigint {
  return typeof value === 'bigint' || typeof value === 'number' ? BigInt(value) : 0n;
}
