import { nothingAt } from '../nothing-at.ts';
import type { ResolvedField } from '../resolved.ts';
import type { BoundOperand, BoundOperation, BoundRow, BoundRule, Get } from './bind.ts';
import { listOfRule } from './bind.ts';

/** A rule on a number of a row that the row must not meet: `least` permits from the bound on, `most` up to it. */
export interface SumRule {
  readonly kind: 'sum';
  readonly reason: number;
  readonly side: 'least' | 'most';
  readonly row: BoundRow;
  readonly column: number;
  readonly bound: Get;
  readonly list: number | null;
  /** Places of the operation's effects on the same row. */
  readonly own: readonly number[];
  /** Whether its one effect on the row takes exactly the bound: then the row keeps at least 0. */
  readonly takesBound: boolean;
  /** Rows of which other effects add to the same column, and that can be the same row. */
  readonly others: readonly BoundRow[];
  /** Whether it can be the same row in a way that comparing keys does not show. */
  readonly isLoose: boolean;
}

/** The same of a number or flag that operations set. */
export interface ValueRule {
  readonly kind: 'value';
  readonly reason: number;
  readonly compares: 'least' | 'most' | 'other';
  readonly row: BoundRow;
  readonly column: number;
  readonly bound: Get;
  readonly list: number | null;
}

/** How the rules of an operation are judged where it was applied. */
export type AppliedRule =
  | SumRule
  | ValueRule
  /** By its arguments alone. */
  | { readonly kind: 'arguments'; readonly reason: number; readonly rule: Comparison }
  | { readonly kind: 'presence'; readonly reason: number; readonly rule: Presence }
  /** By what its columns can have been at any time of the trial. */
  | { readonly kind: 'bounds'; readonly reason: number; readonly rule: BoundRule };

export type Presence = Extract<BoundRule, { row: BoundRow }>;
export type Comparison = Exclude<BoundRule, Presence>;

/** Rules that can hold of drawn operations; those that never do are left out. */
export function appliedRules(operation: BoundOperation): AppliedRule[] {
  const builder = new Builder(operation);
  return operation.rules.flatMap((_, place) => builder.rule(place) ?? []);
}

class Builder {
  readonly #bound: BoundOperation;

  constructor(bound: BoundOperation) {
    this.#bound = bound;
  }

  /** Null where the rule never holds of a drawn operation. */
  rule(place: number): AppliedRule | null {
    const { rule, reason } = this.#bound.rules[place] ?? {};
    if (rule === undefined || reason === undefined) return null;
    // The row that the reply names is judged by what deleted it.
    if ('row' in rule && rule.row.first !== null) return null;
    if ('row' in rule) {
      const never = rule.kind === 'missing' && this.#isSeeded(rule.row, place);
      return never ? null : { kind: 'presence', reason, rule };
    }
    const { left, right } = rule;
    if (left.kind === 'value' && right.kind === 'value') {
      return this.#never(place) ? null : { kind: 'arguments', reason, rule };
    }
    return this.#column(place, reason, rule) ?? { kind: 'bounds', reason, rule };
  }

  #column(place: number, reason: number, rule: Comparison): SumRule | ValueRule | null {
    const { left, right, kind } = rule;
    const [column, value] = left.kind === 'column' ? [left, right] : [right, left];
    if (column.kind !== 'column' || value.kind !== 'value') return null;
    const { type, added, set } = column.row.table.columns[column.column] ?? {};
    const shared = {
      reason,
      row: column.row,
      column: column.column,
      bound: value.get,
      list: listOfRule(rule),
    };
    // `less(column, value)` must not hold: the column is at least the value.
    const side = left === column ? 'least' : 'most';
    if (added === true && kind === 'less')
      return { kind: 'sum', side, ...shared, ...this.#effects(place, column) };
    const isNumber = type?.kind !== 'text' && type?.kind !== 'bytes';
    if (set !== true || !isNumber) return null;
    return { kind: 'value', compares: kind === 'equal' ? 'other' : side, ...shared };
  }

  /** How the operation changes the column of a rule. */
  #effects(
    place: number,
    { row, column }: Extract<BoundOperand, { kind: 'column' }>,
  ): Pick<SumRule, 'own' | 'takesBound' | 'others' | 'isLoose'> {
    const { description } = this.#bound.operation;
    const rule = description.declines[place]?.rule;
    const [columnName, boundName] = rule?.kind === 'less' ? [rule.left, rule.right] : ['', ''];
    const own: number[] = [];
    const others: BoundRow[] = [];
    let takesBound = false;
    for (const [number, effect] of this.#bound.effects.entries()) {
      if (effect.kind !== 'add' || effect.row.table !== row.table || effect.column !== column) continue;
      const word = description.effects[number];
      const simple = word?.kind === 'each' ? word.effect : word;
      const isOwn = simple?.kind === 'add' && rowName(simple.target) === this.#rowName(rule);
      if (!isOwn) {
        if (!this.#areApart(rowName(simple?.kind === 'add' ? simple.target : ''), this.#rowName(rule)))
          others.push(effect.row);
      } else {
        own.push(number);
        takesBound = simple.target === columnName && String(simple.amount) === `-${boundName}`;
      }
    }
    const repeats = row.list !== null && !this.#isDistinct(row, place);
    return {
      own,
      takesBound: takesBound && own.length === 1,
      others,
      isLoose:
        repeats || (others.length > 0 && (row.list !== null || others.some(({ list }) => list !== null))),
    };
  }

  #rowName(rule: BoundOperation['operation']['description']['declines'][number]['rule'] | undefined): string {
    if (rule === undefined || 'row' in rule) return '';
    const names = this.#bound.operation.description.rows.map(({ name }) => name);
    return [rule.left, rule.right].map(rowName).find((name) => names.includes(name)) ?? '';
  }

  /** Whether the records of a list name different rows. */
  #isDistinct(row: BoundRow, place: number): boolean {
    const keys = this.#keysOf(row, place);
    return keys.some((key) => {
      const { generator } = this.#drawn(key) ?? {};
      return generator !== undefined && 'distinct' in generator && generator.distinct;
    });
  }

  /** Whether its drawn keys are those of seeded rows. */
  #isSeeded(row: BoundRow, place: number): boolean {
    if (row.deleted) return false;
    return this.#keysOf(row, place).every((key, column) => {
      const { generator } = this.#drawn(key) ?? {};
      if (generator === undefined || !('count' in generator)) return false;
      return generator.min === 0n && generator.count <= (row.table.extents[column] ?? nothingAt(column));
    });
  }

  /** Whether two rows of the operation are never the same. */
  #areApart(one: string, other: string): boolean {
    const keysOf = (name: string): readonly string[] =>
      this.#bound.operation.description.rows.find((row) => row.name === name)?.keys ?? [];
    const others = keysOf(other);
    return keysOf(one).some((key, place) => this.#drawnApart(key, others[place] ?? nothingAt(place)));
  }

  /** Whether it compares arguments that are never drawn so. */
  #never(place: number): boolean {
    const rule = this.#bound.operation.description.declines[place]?.rule;
    if (rule === undefined || 'row' in rule || typeof rule.left !== 'string') return false;
    const { left, right } = rule;
    if (rule.kind === 'equal') return typeof right === 'string' && this.#drawnApart(left, right);
    const { generator } = this.#drawn(left) ?? {};
    if (typeof right !== 'number' || generator === undefined || !('count' in generator)) return false;
    return generator.min >= BigInt(right);
  }

  /** Whether one argument is drawn so that it is not the other. */
  #drawnApart(one: string, other: string): boolean {
    const isNot = (name: string, not: string): boolean => {
      const { generator } = this.#drawn(name) ?? {};
      if (generator === undefined || !('not' in generator) || generator.not === null) return false;
      return this.#bound.operation.arguments[generator.not]?.name === not && generator.count > 1;
    };
    return isNot(one, other) || isNot(other, one);
  }

  #keysOf(row: BoundRow, place: number): readonly string[] {
    const { declines, rows } = this.#bound.operation.description;
    const rule = declines[place]?.rule;
    const name = rule !== undefined && 'row' in rule ? rule.row : this.#rowName(rule);
    const found = rows.find((each) => each.name === name);
    return found !== undefined && found.table === row.table.name ? found.keys : [];
  }

  /** The argument, or the field of a list, of that name. */
  #drawn(reference: string): ResolvedField | undefined {
    const [name, field] = reference.split('.');
    const argument = this.#bound.operation.arguments.find((each) => each.name === name);
    if (argument?.kind === 'list') return argument.fields.find((each) => each.name === field);
    return argument;
  }
}

function rowName(operand: unknown): string {
  return typeof operand === 'string' ? (operand.split('.')[0] ?? nothingAt(0)) : '';
}
