import { type LoadValues, loadSchema } from './load-fields.ts';
import { settingsOfLoad } from './rows.ts';
import type { LoadSetting, SettingValue, SettingValues } from './setting.ts';

/** A point of measurement: a cell of a plan or a summary, an end of a comparison, what a search chose. */
export type Point = Readonly<Record<string, unknown>>;

/** What a point has of a setting; undefined where it leaves it out. */
export function valueOfSetting({ of }: LoadSetting, point: Point): SettingValue | undefined {
  const value = point[of.field];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}

/** What a cell has of a setting that has a default of its own; undefined where it leaves it out. */
function defaultOf({ of, defaultValue }: LoadSetting): SettingValue | undefined {
  return defaultValue === null ? undefined : of.valueOf(defaultValue);
}

/** Whether a point has another value than the default, of a setting that has a default of its own. */
export function isSetIn(setting: LoadSetting, point: Point): boolean {
  const value = valueOfSetting(setting, point);
  return setting.defaultValue !== null && value !== undefined && value !== defaultOf(setting);
}

/**
 * All settings of a point's load and the workload's parameters, but for these settings, as one text: equal texts are the same
 * point.
 * @param except keys of settings.
 */
export function pointKey(point: Point, except: readonly string[] = []): string {
  const load = settingsOfLoad()
    .filter(({ key }) => !except.includes(key))
    .map((setting) => valueOfSetting(setting, point) ?? defaultOf(setting) ?? null);
  return JSON.stringify([parametersKey(point), load]);
}

/** Settings of the load in which each target has its own best point in optimized mode. */
export const searchedSettings: readonly string[] = ['client', 'sessions', 'depth'];

/** Whether two points differ in nothing but these settings. */
export function sameExcept(one: Point, other: Point, except: readonly string[] = []): boolean {
  return pointKey(one, except) === pointKey(other, except);
}

/** The workload's parameters of a point, the same text for the same parameters. */
export function parametersKey({ parameters }: Point): string {
  if (typeof parameters !== 'object' || parameters === null) return '';
  return JSON.stringify(Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The words of a point in a cell's id. */
export function idWords(point: Point, which: (setting: LoadSetting) => boolean): string {
  return settingsOfLoad()
    .filter(which)
    .map((setting) => {
      const value = valueOfSetting(setting, point);
      return value === undefined ? '' : setting.of.idOf(value);
    })
    .join('');
}

/** The load that settings in words mean. They were checked as words before, so a refusal here is our bug. */
export function loadOfTexts(values: SettingValues): LoadValues {
  return loadSchema.parse(
    Object.fromEntries(
      settingsOfLoad().flatMap(({ key, of, defaultValue }) => {
        const value = of.valueOf(values[key] ?? defaultValue ?? '');
        return value === undefined ? [] : [[of.field, value]];
      }),
    ),
  );
}
