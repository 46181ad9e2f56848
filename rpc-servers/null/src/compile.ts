import { applied, declinesOf, type OperationOutcome, refused, type Values } from '@fair-bench/contract';
import type { Workload } from '@fair-bench/workload/execution';
import type { Memory } from './memory.ts';

type Operation = Workload['operations'][number];
type Table = Workload['tables'][number];
type Rule = Operation['description']['declines'][number]['rule'];
type Effect = Operation['description']['effects'][number];

/** Executes one operation in memory. */
export type Compiled = (values: Values) => OperationOutcome;

/**
 * The model of an operation as generated source, so that the ceiling is the protocol's and not that of a model with
 * name lookups; null for operations with lists, replies, texts to compare or keys of several columns, which the model
 * executes itself.
 */
export function compileOperation(workload: Workload, operation: Operation, memory: Memory): Compiled | null {
  const text = new Source(workload, operation).text();
  if (text === null) return null;
  const declined = [...declinesOf(operation).values()];
  const beyond = refused('invalid-request', 'the sum is beyond 64 bits');
  const present = refused('server-error', 'the row exists already');
  const tables = workload.tables.map(({ number }) => memory.map(number));
  // oxlint-disable-next-line typescript/no-implied-eval -- The source is made here from a description that a schema has checked; no text of it goes in.
  const compiled: unknown = new Function('tables', 'declined', 'applied', 'beyond', 'present', text)(
    tables,
    declined,
    applied,
    beyond,
    present,
  );
  return isCompiled(compiled) ? compiled : null;
}

function isCompiled(value: unknown): value is Compiled {
  return typeof value === 'function';
}

/** Thrown where an operation is left to the model. */
class TooMuch extends Error {}

class Source {
  readonly #workload: Workload;
  readonly #operation: Operation;

  constructor(workload: Workload, operation: Operation) {
    this.#workload = workload;
    this.#operation = operation;
  }

  /** A function body that returns the function; null for an operation that is left to the model. */
  text(): string | null {
    const { rows, declines, effects, returns } = this.#operation.description;
    const isPlain =
      returns.kind === 'nothing' &&
      rows.every(({ keys }) => keys.length > 0) &&
      this.#operation.arguments.every(({ kind }) => kind === 'scalar');
    if (!isPlain) return null;
    try {
      const lines = [
        ...rows.map((row, number) => `const r${number} = ${this.#found(this.#table(row.table), row.keys)};`),
        ...declines.map(({ rule, reason }) => {
          return `if (${this.#holds(rule)}) return declined[${this.#operation.reasons.indexOf(reason)}];`;
        }),
        ...this.#effects(effects),
      ];
      return `'use strict';\nreturn function carryOut(v) {\n${lines.join('\n')}\nreturn applied;\n};`;
    } catch (error) {
      if (error instanceof TooMuch) return null;
      throw error;
    }
  }

  /** Each effect in order; an impossible one undoes those before it. */
  #effects(effects: readonly Effect[]): string[] {
    const inserts = effects.filter(({ kind }) => kind === 'insert').length;
    // An effect on a row that was just inserted would need to find it.
    if (inserts > 0 && effects.length > 1) throw new TooMuch();
    const undone: string[] = [];
    return effects.map((effect, number) => {
      const undo = undone.toReversed().join(' ');
      if (effect.kind === 'insert') return this.#insert(effect);
      if (effect.kind !== 'add') throw new TooMuch();
      const [name = '', column = ''] = effect.target.split('.');
      const row = this.#rowNumber(name);
      const place = this.#placeOf(name, column);
      undone.push(`if (r${row} !== undefined) r${row}[${place}] = b${number};`);
      return [
        `let b${number};`,
        `if (r${row} !== undefined) {`,
        `b${number} = r${row}[${place}]; const s = b${number} ${this.#added(effect.amount)};`,
        `if (s > 9223372036854775807n || s < -9223372036854775808n) { ${undo} return beyond; }`,
        `r${row}[${place}] = s; }`,
      ].join('\n');
    });
  }

  #insert(effect: Extract<Effect, { kind: 'insert' }>): string {
    if (effect.ifMissing === true) throw new TooMuch();
    const table = this.#table(effect.table);
    const values = table.columns.map(({ name, type }) => {
      const source = effect.columns[name];
      if (typeof source !== 'string') throw new TooMuch();
      const { text, kind } = this.#argument(source);
      if (kind === type.kind && kind !== 'bytes') return text;
      if (kind === 'key' && type.kind === 'int64') return `BigInt(${text})`;
      throw new TooMuch();
    });
    if (table.keyColumns !== 1) throw new TooMuch();
    const map = `tables[${table.number}]`;
    return `if (${map}.has(${values[0]})) return present;\n${map}.set(${values[0]}, [${values.join(', ')}]);`;
  }

  #holds(rule: Rule): string {
    if (rule.kind === 'missing') return `r${this.#rowNumber(rule.row)} === undefined`;
    if (rule.kind === 'exists') return `r${this.#rowNumber(rule.row)} !== undefined`;
    const [left, right] = [this.#operand(rule.left), this.#operand(rule.right)];
    const compared = `${left.text} ${rule.kind === 'less' ? '<' : '=='} ${right.text}`;
    return [...left.rows, ...right.rows, compared].join(' && ');
  }

  /** An integer operand, and the rows that must exist. */
  #operand(operand: Extract<Rule, { kind: 'less' }>['left']): { text: string; rows: string[] } {
    if (typeof operand === 'number') return { text: `${operand}n`, rows: [] };
    if (typeof operand !== 'string') throw new TooMuch();
    const [name = '', column] = operand.split('.');
    if (column === undefined) {
      const { text, kind } = this.#argument(name);
      if (kind !== 'key' && kind !== 'int64') throw new TooMuch();
      return { text, rows: [] };
    }
    const row = this.#rowNumber(name);
    return { text: `r${row}[${this.#placeOf(name, column)}]`, rows: [`r${row} !== undefined`] };
  }

  #added(amount: string | number): string {
    if (typeof amount === 'number') return `+ ${amount < 0 ? `(${amount}n)` : `${amount}n`}`;
    const { text, kind } = this.#argument(amount.replace(/^-/, ''));
    if (kind !== 'key' && kind !== 'int64') throw new TooMuch();
    return `${amount.startsWith('-') ? '-' : '+'} ${kind === 'int64' ? text : `BigInt(${text})`}`;
  }

  #argument(name: string): { text: string; kind: string } {
    const slot = this.#operation.arguments.findIndex((each) => each.name === name);
    const argument = this.#operation.arguments[slot];
    if (argument?.kind !== 'scalar') throw new TooMuch();
    return { text: `v[${slot}]`, kind: argument.type.kind };
  }

  #found(table: Table, keys: readonly string[]): string {
    const [key = ''] = keys;
    const { text, kind } = this.#argument(key);
    if (keys.length !== 1 || table.columns[0]?.type.kind !== kind) throw new TooMuch();
    return `tables[${table.number}].get(${text})`;
  }

  #rowNumber(name: string): number {
    return this.#operation.description.rows.findIndex((each) => each.name === name);
  }

  /** The place of a column of a named row; only integers are compared and added to. */
  #placeOf(name: string, column: string): number {
    const { columns } = this.#table(
      this.#operation.description.rows.find((each) => each.name === name)?.table ?? '',
    );
    const place = columns.findIndex((each) => each.name === column);
    if (columns[place]?.type.kind !== 'int64') throw new TooMuch();
    return place;
  }

  #table(name: string): Table {
    const table = this.#workload.tables.find((each) => each.name === name);
    if (table === undefined) throw new TooMuch();
    return table;
  }
}
