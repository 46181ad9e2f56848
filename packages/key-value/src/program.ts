import { isListValue, type Row, type Values } from '@fair-bench/contract';
import {
  bindOperations,
  type BoundEffect,
  type BoundOperand,
  type BoundOperation,
  type BoundRow,
  evaluate,
  lackOfCode,
  listOfRule,
  recordsOf,
  type Workload,
} from '@fair-bench/workload/execution';
import { StoredTable, textOf } from './stored-rows.ts';

/**
 * One operation with its arguments as steps over rows by their keys, one word after the other; the first rule that holds
 * decides, and effects that an impossible one follows are undone. K is a row's key, O an operand: `v` VALUE or `f` K FIELD, which
 * has no value where the row is missing.
 *
 * - `missing` K FIELD REASON, `exists` K FIELD REASON: ends with REASON; FIELD is one that every such row has
 * - `less` O O REASON (integers), `equal` O O REASON: ends with REASON where both have a value
 * - `row` K COUNT FIELD…: reads a row, if it is there
 * - `scan` SET PREFIX `up`|`down` FROM TO LIMIT COUNT FIELD…: reads rows in the order of SET's members between two, which are
 *   `-` and `+` for no limit; PREFIX and a member are a row's key
 * - `add` K FIELD AMOUNT: to an integer of a row, if it is there; impossible beyond 64 bits
 * - `set` K FIELD VALUE: in a row, if it is there
 * - `insert` K SET MEMBER COUNT (FIELD VALUE)…, COUNT words of both: SET is empty where the table has no order; impossible where the row exists
 * - `upsert` with the same words: nothing where the row exists
 */
export type Program = readonly string[];

/** What `run` resolves with for an operation that was applied and reads nothing. */
export const done = -1;

/** Writes the programs of a workload's operations. */
export class Programs {
  readonly tables: readonly StoredTable[];
  readonly #operations: readonly BoundOperation[];

  /** Throws for an operation that returns what only a binding of its own could compute. */
  constructor(workload: Workload) {
    const lack = lackOfCode(workload.description);
    if (lack !== null) throw new Error(lack);
    this.#operations = bindOperations(workload);
    for (const { operation, returns, effects } of this.#operations) {
      if (effects.some(({ kind }) => kind === 'delete')) {
        throw new Error(
          `the operation ${operation.name} of ${workload.description.name} deletes rows, for which its server has no step`,
        );
      }
      if (returns.kind === 'fields' || returns.kind === 'chosen-rows') {
        throw new Error(
          `the operation ${operation.name} of ${workload.description.name} returns what its description leaves to the server`,
        );
      }
    }
    this.tables = workload.tables.map((table) => {
      const isScanned = this.#operations.some(
        ({ returns }) => returns.kind === 'scan' && returns.table.number === table.number,
      );
      return new StoredTable(workload.description.name, { ...table, indexes: [] }, isScanned);
    });
  }

  /** The program of an operation. Throws a RangeError for an integer beyond 64 bits. */
  of(operation: number, values: Values): string[] {
    const bound = this.#operations[operation];
    if (bound === undefined) throw new RangeError(`there is no operation ${operation}`);
    for (const value of values) {
      for (const field of isListValue(value) ? value.fields : [[value]]) field.forEach(textOf);
    }
    const words: string[] = [];
    for (const { rule, reason } of bound.rules) {
      const records = recordsOf(values, listOfRule(rule));
      for (let at = 0; at < records; at += 1) {
        if ('row' in rule) words.push(rule.kind, ...this.#found(rule.row, values, at), String(reason));
        else {
          const operands = [rule.left, rule.right].flatMap((each) => this.#operand(each, values, at));
          words.push(rule.kind, ...operands, String(reason));
        }
      }
    }
    words.push(...this.#read(bound, values));
    for (const effect of bound.effects) {
      // No workload with one comes this far.
      if (effect.kind === 'delete') continue;
      for (let at = 0; at < recordsOf(values, effect.list); at += 1)
        words.push(...this.#effect(effect, values, at));
    }
    return words;
  }

  #table(number: number): StoredTable {
    const table = this.tables[number];
    if (table === undefined) throw new Error(`the workload has no table ${number}`);
    return table;
  }

  #keyOf({ table, keys }: BoundRow, values: Values, at: number): string {
    return this.#table(table.number).keyOf(evaluate(keys, values, at));
  }

  /** A row's key, and a field by which it is seen to exist. */
  #found(row: BoundRow, values: Values, at: number): [string, string] {
    return [this.#keyOf(row, values, at), this.#table(row.table.number).fields[0] ?? ''];
  }

  #operand(operand: BoundOperand, values: Values, at: number): string[] {
    if (operand.kind === 'value') return ['v', textOf(operand.get(values, at))];
    return this.#column(operand.row, operand.column, values, at);
  }

  /** A column of the key is a value, wherever its row is. */
  #column(row: BoundRow, column: number, values: Values, at: number): string[] {
    const name = row.table.columns[column]?.name ?? '';
    const key = row.keys[column];
    return key === undefined ? ['f', this.#keyOf(row, values, at), name] : ['v', textOf(key(values, at))];
  }

  #read({ returns }: BoundOperation, values: Values): string[] {
    if (returns.kind !== 'row' && returns.kind !== 'scan') return [];
    const table = this.#table(returns.table.number);
    const fields = [String(table.fields.length), ...table.fields];
    if (returns.kind === 'row') return ['row', table.keyOf(evaluate(returns.keys, values)), ...fields];
    const { descending, limit } = returns;
    const [from, to] = boundsOf(
      table,
      evaluate(returns.from, values),
      evaluate(returns.prefix, values),
      descending,
    );
    const direction = descending ? 'down' : 'up';
    return [
      'scan',
      table.orderSet ?? '',
      table.prefix,
      direction,
      from,
      to,
      textOf(limit(values, 0)),
      ...fields,
    ];
  }

  #effect(effect: Exclude<BoundEffect, { kind: 'delete' }>, values: Values, at: number): string[] {
    if (effect.kind === 'insert') {
      const row = effect.columns.map((column) => (column.kind === 'value' ? column.get(values, at) : null));
      const { key, fields, order } = this.#table(effect.table.number).stored(row);
      return [
        effect.ifMissing ? 'upsert' : 'insert',
        key,
        order?.set ?? '',
        order?.member ?? '',
        String(2 * fields.length),
        ...fields.flat(),
      ];
    }
    const key = this.#keyOf(effect.row, values, at);
    if (effect.kind === 'set') {
      const name = effect.row.table.columns[effect.column(values)]?.name ?? '';
      return ['set', key, name, textOf(effect.to(values, at))];
    }
    const amount = BigInt(textOf(effect.amount(values, at)));
    const name = effect.row.table.columns[effect.column]?.name ?? '';
    return ['add', key, name, String(effect.negative ? -amount : amount)];
  }
}

/** The members between which a scan reads, both included; above any digit is `~`. */
function boundsOf(table: StoredTable, from: Row, prefix: Row, descending: boolean): [string, string] {
  const begin = table.memberOf(from);
  const within = table.memberOf(prefix);
  const low = !descending && begin !== '' ? begin : within;
  const high = descending && begin !== '' ? begin : within;
  return [low === '' ? '-' : `[${low}`, high === '' ? '+' : `[${high}~`];
}
