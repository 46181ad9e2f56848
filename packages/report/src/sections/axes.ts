import {
  type CellSummary,
  type Comparison,
  isSetIn,
  type LoadSetting,
  settingsOfLoad,
  valueOfSetting,
} from '@fair-bench/results';
import { absent } from './format.ts';
import { type ColumnOf, left, right } from './section.ts';

/** What distinguishes one combination from another: the load of a cell, or of two compared cells. */
type Combination = Readonly<Record<string, unknown>> &
  Pick<CellSummary | Comparison, 'parameters' | 'axes' | 'batch' | 'durability'> &
  Pick<Partial<CellSummary>, 'profile'>;

export interface Axis {
  readonly name: string;
  readonly of: (one: Combination) => string | number | null;
  /** Shown even where it does not vary. */
  readonly isAlwaysSaid: boolean;
  /** Durability splits tables; it is never a column. */
  readonly isColumn: boolean;
}

/** A setting of the load; one that is said where it is set has no axis where it is not. */
function axisOf(setting: LoadSetting, all: readonly Combination[]): readonly Axis[] {
  const { key, of } = setting;
  const isSet = all.some((one) => isSetIn(setting, one));
  if (of.said === 'where-set' && !isSet) return [];
  const valueOf = (one: Combination): string | number | null => {
    const value = valueOfSetting(setting, one);
    if (value === undefined) return null;
    return of.shown?.(value) ?? (typeof value === 'number' ? value : String(value));
  };
  return [{ name: key, of: valueOf, isAlwaysSaid: of.said !== 'where-it-varies', isColumn: true }];
}

/** When a commit is acknowledged, and of what: `durable`, `durable per batch of 100`; cells that differ in it share no table. */
export function commitsOf({ durability, batch }: Pick<Combination, 'durability' | 'batch'>): string | null {
  if (batch === 1) return durability ?? null;
  return [durability ?? '', `per batch of ${batch}`].join(' ').trim();
}

/**
 * Items by what one commit holds and by whether it is durable, each with what its table is called beside others: no table mixes
 * them. One table without a name where every commit is of one operation, and durable as the mode has it.
 */
export function byCommits<Item extends Pick<Combination, 'durability' | 'batch'>>(
  items: readonly Item[],
): readonly { readonly title: string; readonly items: readonly Item[] }[] {
  const groups = [...Map.groupBy(items, tableTitle)].toSorted(
    ([, [one]], [, [other]]) => tableRank(one) - tableRank(other),
  );
  if (groups.length === 0) return [{ title: '', items }];
  const named = groups.length > 1 || groups.some(([title]) => title !== perOperation);
  return groups.map(([title, own]) => ({ title: named ? `: ${title}` : '', items: own }));
}

const perOperation = 'durable per operation';

/** Without a stated level the mode has one for all its cells, and that is durable. */
function tableTitle({ durability = 'durable', batch }: Pick<Combination, 'durability' | 'batch'>): string {
  if (durability === 'durable') return batch === 1 ? perOperation : `durable per batch of ${batch}`;
  return batch === 1 ? 'not durable' : `not durable, in batches of ${batch}`;
}

/** Durable ones first, then by batch. */
function tableRank(one: Pick<Combination, 'durability' | 'batch'> | undefined): number {
  const { durability = 'durable', batch = 1 } = one ?? {};
  return (durability === 'durable' ? 0 : 1e9) + batch;
}

/** The axes of the workload, in its order. */
export function workloadAxes(all: readonly Pick<Combination, 'parameters' | 'axes'>[]): readonly string[] {
  return [...new Set(all.flatMap(({ axes }) => axes))];
}

/**
 * Every axis once, in the order of columns, names and charts: the workload's axes and its other parameters that
 * differ here.
 */
export function axesOf(all: readonly Combination[]): readonly Axis[] {
  const own = new Set(workloadAxes(all));
  const names = new Set(all.flatMap(({ parameters }) => Object.keys(parameters)));
  const ofWorkload = [...own.union(names.difference(new Set(['seed'])))].flatMap((name): Axis[] => {
    const of = ({ parameters }: Combination) => parameterText(parameters[name]);
    const isAxis = own.has(name) || new Set(all.map(of)).size > 1;
    return isAxis ? [{ name, of, isAlwaysSaid: own.has(name), isColumn: true }] : [];
  });
  const [first, load] = [true, undefined].map((isFirst) =>
    settingsOfLoad()
      .filter(({ of }) => of.isFirst === isFirst)
      .flatMap((setting) => axisOf(setting, all)),
  );
  const durability: Axis = {
    name: 'durability',
    of: commitsOf,
    // A batch is said together with what of it is durable.
    isAlwaysSaid: all.some(({ batch }) => batch > 1),
    isColumn: false,
  };
  return [...(first ?? []), ...ofWorkload, ...(load ?? []), durability];
}

/** A parameter's value for people; null for a missing one. */
export function parameterText(value: unknown): string | number | null {
  if (value === undefined || typeof value === 'number' || typeof value === 'string') return value ?? null;
  return JSON.stringify(value);
}

/** What these share, such as `depth 1`, and the names of the columns in which they differ. */
export function sharedAndVarying(all: readonly Combination[]): {
  readonly shared: readonly string[];
  readonly varying: readonly string[];
} {
  const shared: string[] = [];
  const varying: string[] = [];
  for (const { name, of, isAlwaysSaid, isColumn } of axesOf(all)) {
    const [value, ...others] = new Set(all.map(of));
    if (others.length > 0) varying.push(...(isColumn ? [name] : []));
    else if (isAlwaysSaid && value !== undefined && value !== null) shared.push(`${name} ${value}`);
  }
  return { shared, varying };
}

/** The columns of these axes; without names, of the axes that are always shown and those that vary. */
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

/** Groups items by combination, in the order of their first item. */
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
