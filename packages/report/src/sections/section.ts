import { absent } from './format.ts';

/** One part of a report, the same for every output: lines of text, a table, or both. */
export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  readonly table: Table | null;
}

/** Words in a table that every output marks: good news, bad news, or nothing measured. */
export const toneOfWord: ReadonlyMap<string, 'good' | 'bad' | 'dim'> = new Map([
  ['passed', 'good'],
  ['contender faster', 'good'],
  ['contender slower', 'bad'],
  ['failed', 'bad'],
  ['void', 'bad'],
  ['NO', 'bad'],
  ['unavailable', 'dim'],
  ['interrupted', 'dim'],
]);

export interface Column {
  readonly head: string;
  readonly align: 'left' | 'right';
  /** Neighbouring columns of one group may be stacked where there is little room. */
  readonly group: string;
}

export interface Table {
  readonly columns: readonly Column[];
  /** A text may have several lines. */
  readonly rows: readonly (readonly string[])[];
}

/** A column with its text for one item. */
export interface ColumnOf<Item> extends Column {
  readonly text: (item: Item) => string;
  /** Left out of a table in which no item has a value for it. */
  readonly isOptional?: true;
}

export function tableOf<Item>(columns: readonly ColumnOf<Item>[], items: readonly Item[]): Table {
  const shown = columns.filter(
    ({ isOptional, text }) => isOptional !== true || items.some((item) => text(item) !== absent),
  );
  return {
    columns: shown.map(({ head, align, group }) => ({ head, align, group })),
    rows: items.map((item) => shown.map(({ text }) => text(item))),
  };
}

export function optional<Item>(column: ColumnOf<Item>): ColumnOf<Item> {
  return { ...column, isOptional: true };
}

export function left<Item>(head: string, text: (item: Item) => string, group = head): ColumnOf<Item> {
  return { head, align: 'left', group, text };
}

export function right<Item>(head: string, text: (item: Item) => string, group = head): ColumnOf<Item> {
  return { head, align: 'right', group, text };
}
