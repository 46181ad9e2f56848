import type { CellSummary, Comparison } from '@fair-bench/results';
import { absent } from './format.ts';
import { type ColumnOf, left, right } from './section.ts';

/** What tells one combination from another: the load of a cell, and of two that are compared. */
type Combination = Pick<
  CellSummary | Comparison,
  'client' | 'alpha' | 'depth' | 'sessions' | 'ratePerSecond' | 'durability'
>;

interface Axis {
  readonly name: string;
  readonly of: (one: Combination) => string | number | null;
  /** Worth a word even where it does not vary. */
  readonly isAlwaysSaid: boolean;
  /** Durability has tables of its own, never a column. */
  readonly isColumn: boolean;
}

/** Every axis, once, in the order of columns, names and charts. */
export const axes: readonly Axis[] = [
  { name: 'client', of: ({ client }) => client, isAlwaysSaid: false, isColumn: true },
  { name: 'alpha', of: ({ alpha }) => alpha, isAlwaysSaid: true, isColumn: true },
  { name: 'depth', of: ({ depth }) => depth, isAlwaysSaid: true, isColumn: true },
  { name: 'sessions', of: ({ sessions }) => sessions, isAlwaysSaid: false, isColumn: true },
  { name: 'rate', of: ({ ratePerSecond }) => ratePerSecond ?? null, isAlwaysSaid: false, isColumn: true },
  { name: 'durability', of: ({ durability }) => durability ?? null, isAlwaysSaid: false, isColumn: false },
];

/** The columns of these axes; without names, of those that are always said and those that vary. */
export function axisColumns(
  all: readonly Combination[],
  names?: readonly string[],
): readonly ColumnOf<Combination>[] {
  const isShown = ({ name, of, isAlwaysSaid, isColumn }: Axis): boolean =>
    names === undefined ? isColumn && (isAlwaysSaid || new Set(all.map(of)).size > 1) : names.includes(name);
  return axes.filter(isShown).map(({ name, of }) => {
    const column = name === 'client' ? left<Combination> : right<Combination>;
    return column(name, (one) => String(of(one) ?? absent), 'cell');
  });
}

/** Items of the same combination next to each other, combinations in the order of their first item. */
export function byCombination<Item extends Combination>(
  items: readonly Item[],
  names: readonly string[] = axes.map(({ name }) => name),
): readonly Item[] {
  const keys = axes.filter(({ name }) => names.includes(name));
  return [...Map.groupBy(items, (item) => JSON.stringify(keys.map(({ of }) => of(item)))).values()].flat();
}
