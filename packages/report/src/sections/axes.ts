import type { CellSummary, Comparison } from '@fair-bench/results';
import { absent } from './format.ts';
import { type ColumnOf, left, right } from './section.ts';

/** What tells one combination from another: the load of a cell, and of two that are compared. */
type Combination = Pick<
  CellSummary | Comparison,
  'client' | 'parameters' | 'alpha' | 'depth' | 'sessions' | 'ratePerSecond' | 'durability'
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

/** The axes, and further parameters of the workload that differ between these. */
function axesOf(all: readonly Combination[]): readonly Axis[] {
  const known = new Set(['seed', ...axes.map(({ name }) => name)]);
  const names = new Set(all.flatMap(({ parameters = {} }) => Object.keys(parameters)));
  const others = [...names].flatMap((name): Axis[] => {
    const of = ({ parameters = {} }: Combination) => {
      const value = parameters[name];
      return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value ?? null);
    };
    const isAxis = !known.has(name) && new Set(all.map(of)).size > 1;
    return isAxis ? [{ name, of, isAlwaysSaid: false, isColumn: true }] : [];
  });
  return [...axes, ...others];
}

/** The columns of these axes; without names, of those that are always said and those that vary. */
export function axisColumns(
  all: readonly Combination[],
  names?: readonly string[],
): readonly ColumnOf<Combination>[] {
  const isShown = ({ name, of, isAlwaysSaid, isColumn }: Axis): boolean =>
    names === undefined
      ? isColumn && ((isAlwaysSaid && all.some((one) => of(one) !== null)) || new Set(all.map(of)).size > 1)
      : names.includes(name);
  return axesOf(all)
    .filter(isShown)
    .map(({ name, of }) => {
      const column = name === 'client' ? left<Combination> : right<Combination>;
      return column(name, (one) => String(of(one) ?? absent), 'cell');
    });
}

/** Items of the same combination together, combinations in the order of their first item. */
export function combinationsOf<Item extends Combination>(
  items: readonly Item[],
  names?: readonly string[],
): readonly (readonly Item[])[] {
  const keys = axesOf(items).filter(({ name }) => names === undefined || names.includes(name));
  return [...Map.groupBy(items, (item) => JSON.stringify(keys.map(({ of }) => of(item)))).values()];
}

export function byCombination<Item extends Combination>(
  items: readonly Item[],
  names?: readonly string[],
): readonly Item[] {
  return combinationsOf(items, names).flat();
}
