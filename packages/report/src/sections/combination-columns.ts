import type { CellSummary, Comparison } from '@fair-bench/results';
import { absent } from './format.ts';
import { type ColumnOf, left, right } from './section.ts';

type Combination = Pick<
  CellSummary | Comparison,
  'client' | 'alpha' | 'depth' | 'sessions' | 'ratePerSecond'
>;

/** What tells combinations apart: skew and depth always, load client and sessions where they vary. */
export function combinationColumns(all: readonly Combination[]): readonly ColumnOf<Combination>[] {
  const varies = (of: (one: Combination) => unknown): boolean => new Set(all.map(of)).size > 1;
  return [
    ...(varies(({ client }) => client) ? [left<Combination>('client', ({ client }) => client, 'cell')] : []),
    right<Combination>('alpha', ({ alpha }) => (alpha === null ? absent : String(alpha)), 'cell'),
    right<Combination>('depth', ({ depth }) => String(depth), 'cell'),
    ...(varies(({ sessions }) => sessions)
      ? [right<Combination>('sessions', ({ sessions }) => String(sessions), 'cell')]
      : []),
    ...(varies(({ ratePerSecond }) => ratePerSecond)
      ? [right<Combination>('rate', ({ ratePerSecond }) => String(ratePerSecond ?? absent), 'cell')]
      : []),
  ];
}

/** Items of the same combination next to each other, combinations in the order of their first item. */
export function byCombination<Item extends Combination>(items: readonly Item[]): readonly Item[] {
  const keyOf = ({ client, alpha, depth, sessions, ratePerSecond }: Item): string =>
    JSON.stringify([alpha, depth, sessions, ratePerSecond, client]);
  return [...Map.groupBy(items, keyOf).values()].flat();
}
