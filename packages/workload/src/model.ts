import type { Row, ScalarValue, Values } from '@fair-bench/contract';
import {
  bigOf,
  bindOperations,
  type BoundColumnOfRow,
  type BoundEffect,
  type BoundOperand,
  type BoundOperation,
  type BoundRow,
  type BoundRule,
  evaluate,
  listOfRule,
  recordsOf,
} from './replay/bind.ts';
import type { ResolvedTable, Workload } from './resolved.ts';
import { CodeOperations } from './code/carry-out.ts';
import { seededPages } from './seeded.ts';
import { isCodeStore, MemoryStore, type ModelRow, type Store } from './store.ts';

export type ModelOutcome =
  /**
   * `rows`: of an operation that returns a row or a scan; of one that returns what it found, its fields as one row, null
   * where the server decides. Null for all others.
   */
  | { readonly kind: 'applied'; readonly rows: readonly ModelRow[] | null }
  /** `rule` is the number of the rule that decided. */
  | { readonly kind: 'declined'; readonly reason: string; readonly rule: number }
  | { readonly kind: 'fault'; readonly code: 'invalid-request' | 'server-error'; readonly message: string };

/** Executes operations on a store, one at a time, as SPECIFICATION.md defines: declines, effects, reply. */
export class Model {
  readonly workload: Workload;
  readonly #store: Store;
  readonly #operations: readonly BoundOperation[];
  /** Of a workload in code. */
  readonly #code: CodeOperations | null;

  constructor(workload: Workload, store: Store) {
    this.workload = workload;
    this.#store = store;
    this.#operations = bindOperations(workload);
    this.#code = workload.description.code === undefined ? null : new CodeOperations(workload);
  }

  /** `values` are the arguments of operation number `number`, in declared order. */
  execute(number: number, values: Values): ModelOutcome {
    const operation = this.#operations[number];
    if (operation === undefined)
      throw new Error(`workload ${this.workload.description.name}: no operation ${number}`);
    return this.#code === null
      ? new Execution(operation, values, this.#store).run()
      : this.#inCode(this.#code, operation, values);
  }

  #inCode(code: CodeOperations, { operation }: BoundOperation, values: Values): ModelOutcome {
    if (!isCodeStore(this.#store)) throw new Error(`${operation.name}: this store has no operations in code`);
    const done = code.carryOut(operation.number, values, this.#store, null);
    if (done.kind === 'declined') return { ...done, rule: operation.reasons.indexOf(done.reason) };
    done.transaction.commit();
    return { kind: 'applied', rows: operation.returns.kind === 'nothing' ? null : done.rows };
  }
}

/** A model over rows in memory, seeded. */
export function createSeededModel(workload: Workload): { model: Model; store: MemoryStore } {
  const store = new MemoryStore(workload.tables.map(({ keyColumns }) => keyColumns));
  for (const table of workload.tables) {
    for (const page of seededPages(workload, table)) for (const row of page) store.put(table.number, row);
  }
  return { model: new Model(workload, store), store };
}

const keyMax = 2 ** 32;
const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

class EffectFault extends Error {
  readonly code: 'invalid-request' | 'server-error';

  constructor(code: 'invalid-request' | 'server-error', message: string) {
    super(message);
    this.code = code;
  }
}

interface Changed {
  readonly table: number;
  readonly key: Row;
  readonly row: ModelRow | null;
}

class Execution {
  readonly #bound: BoundOperation;
  readonly #values: Values;
  readonly #store: Store;
  /** Rows changed by effects, by table and key, null for a deleted one; they are stored together. Null before the first. */
  #changed: Map<string, Changed> | null = null;
  /** By table, its first row as the operation found it; null before the first. */
  #firsts: Map<number, ModelRow | null> | null = null;

  constructor(bound: BoundOperation, values: Values, store: Store) {
    this.#bound = bound;
    this.#values = values;
    this.#store = store;
  }

  run(): ModelOutcome {
    const { effects, operation, rules } = this.#bound;
    const rule = rules.findIndex((each) => this.#declines(each.rule));
    const declined = operation.description.declines[rule];
    if (declined !== undefined) return { kind: 'declined', reason: declined.reason, rule };
    const rows = this.#reply();
    try {
      for (const effect of effects) {
        for (let at = 0; at < recordsOf(this.#values, effect.list); at += 1)
          this.#apply(effect, at, rows?.[0]);
      }
    } catch (error) {
      if (error instanceof EffectFault) return { kind: 'fault', code: error.code, message: error.message };
      throw error;
    }
    for (const { table, key, row: changed } of this.#changed?.values() ?? []) {
      if (changed === null) this.#store.remove(table, key);
      else this.#store.put(table, changed);
    }
    return { kind: 'applied', rows };
  }

  /** Over a list, a rule holds where it holds for any record. */
  #declines(rule: BoundRule): boolean {
    const records = recordsOf(this.#values, listOfRule(rule));
    for (let at = 0; at < records; at += 1) if (this.#holds(rule, at)) return true;
    return false;
  }

  #holds(rule: BoundRule, at: number): boolean {
    if ('row' in rule) return (this.#row(rule.row, at) === null) === (rule.kind === 'missing');
    const [left, right] = [this.#operand(rule.left, at), this.#operand(rule.right, at)];
    if (left === null || right === null) return false;
    if (rule.kind === 'less') return left < right;
    return !(left < right) && !(left > right);
  }

  /** `reply`: the fields that it returns. */
  #apply(effect: BoundEffect, at: number, reply: ModelRow | undefined): void {
    if (effect.kind === 'insert') return this.#insert(effect, at, reply);
    const row = this.#row(effect.row, at);
    if (row === null) return undefined;
    if (effect.kind === 'delete') return this.#change(effect.row.table, row, null);
    const place = effect.kind === 'add' ? effect.column : effect.column(this.#values);
    const value = effect.kind === 'add' ? this.#sum(row[place], effect, at) : effect.to(this.#values, at);
    return this.#change(effect.row.table, row, row.with(place, value));
  }

  #sum(
    before: ScalarValue | null | undefined,
    { amount, negative }: Extract<BoundEffect, { kind: 'add' }>,
    at: number,
  ): bigint {
    const added = bigOf(amount(this.#values, at));
    const sum = bigOf(before ?? 0n) + (negative ? -added : added);
    if (sum < int64Min || sum > int64Max)
      throw new EffectFault('invalid-request', 'the sum is beyond 64 bits');
    return sum;
  }

  #insert(
    { table, columns, ifMissing }: Extract<BoundEffect, { kind: 'insert' }>,
    at: number,
    reply: ModelRow | undefined,
  ): void {
    const row = columns.map((column) => {
      // What the server gives is not known here, but what it found is.
      const returned = column.kind === 'returned' ? (reply?.[column.field] ?? null) : null;
      const value = column.kind === 'value' ? column.get(this.#values, at) : returned;
      return value instanceof Uint8Array ? value.slice() : value;
    });
    const key = row.slice(0, table.keyColumns).map((value) => value ?? 0);
    const isThere = this.#get(table, key) !== null;
    if (isThere && ifMissing) return;
    if (isThere) throw new EffectFault('server-error', `${table.name} ${key.join(' ')} exists already`);
    this.#change(table, row, row);
  }

  #reply(): readonly ModelRow[] | null {
    const { returns } = this.#bound;
    if (returns.kind === 'row') {
      const keys = evaluate(returns.keys, this.#values);
      if (returns.by !== null) return this.#rowBy(returns.table, returns.by, keys[0] ?? 0);
      const row = this.#get(returns.table, keys);
      return row === null ? [] : [row];
    }
    if (returns.kind === 'fields') return this.#found(this.#bound.found);
    if (returns.kind !== 'scan') return null;
    const { table, until } = returns;
    const limit = Number(returns.limit(this.#values, 0));
    const rows = this.#store.range(table.number, {
      from: evaluate(returns.from, this.#values),
      prefix: evaluate(returns.prefix, this.#values),
      descending: returns.descending,
      limit: until === null ? limit : keyMax,
    });
    if (until === null) return rows;
    const at = until.at(this.#values, 0);
    return rows.filter((row) => isUntil(table, until.column, row, at)).slice(0, limit);
  }

  /** A value that the server gives is none that an operation names here. */
  #rowBy({ number }: ResolvedTable, column: number, value: ScalarValue): readonly ModelRow[] {
    const rows = this.#store.range(number, { from: [], prefix: [], descending: false, limit: keyMax });
    return rows.filter((row) => row[column] === value).slice(0, 1);
  }

  #found(fields: readonly (BoundColumnOfRow | null)[]): readonly ModelRow[] | null {
    if (fields.every((field) => field === null)) return null;
    return [fields.map((field) => (field === null ? null : this.#operand(field, 0)))];
  }

  #row({ table, keys, first }: BoundRow, at: number): ModelRow | null {
    return first === null ? this.#get(table, evaluate(keys, this.#values, at)) : this.#first(table);
  }

  /** Of an operation that is alone, the row with the smallest key. */
  #first({ number }: ResolvedTable): ModelRow | null {
    this.#firsts ??= new Map();
    const known = this.#firsts.get(number);
    if (known !== undefined) return known;
    const [row = null] = this.#store.range(number, { from: [], prefix: [], descending: false, limit: 1 });
    this.#firsts.set(number, row);
    return row;
  }

  #get(table: ResolvedTable, key: Row): ModelRow | null {
    const changed = this.#changed?.get(`${table.number} ${key.join(' ')}`);
    return changed === undefined ? this.#store.get(table.number, key) : changed.row;
  }

  /** `found` has its key. */
  #change(table: ResolvedTable, found: ModelRow, row: ModelRow | null): void {
    const key = found.slice(0, table.keyColumns).map((value) => value ?? 0);
    this.#changed ??= new Map();
    this.#changed.set(`${table.number} ${key.join(' ')}`, { table: table.number, key, row });
  }

  /** Null when its row is missing. */
  #operand(operand: BoundOperand, at: number): ScalarValue | null {
    if (operand.kind === 'value') return operand.get(this.#values, at);
    return this.#row(operand.row, at)?.[operand.column] ?? null;
  }
}

/** Whether a row was there at a time; one that the server gives is later than the seeded one. */
function isUntil({ columns }: ResolvedTable, column: number, row: ModelRow, at: ScalarValue): boolean {
  const time = row[column] ?? null;
  if (time !== null) return time <= at;
  const seed = columns[column]?.seed;
  return seed?.kind === 'constant' && at > seed.value;
}
