import { settings, settingsOfLoad } from './rows.ts';
import type { Settable, Setting, SettingValues } from './setting.ts';
import { extraSetting } from './target-settings.ts';

/** An axis of the workload, as a setting of the load. */
export type AxisSetting = Pick<Setting, 'key' | 'name' | 'accepts' | 'parse'>;

/** What a target with these connectors can be given: the table's settings, the workload's axes, and each connector's own. */
export function settingsOf(
  connectors: readonly Settable[],
  axes: readonly AxisSetting[] = [],
): readonly Setting[] {
  const shared = [
    ...settingsOfLoad().filter(({ of }) => of.isOfRunOnly !== true),
    ...axes.map(axisSetting),
    ...settings.filter(({ of }) => of.kind === 'target'),
  ];
  const known = new Set(shared.map(({ key }) => key));
  const extras = connectors.flatMap(({ manifest }) => Object.entries(manifest.factors.extra));
  const own = new Map(extras.toReversed());
  const extra = [...own].filter(([key]) => !known.has(key)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [...shared, ...extra.map(([key, [first = '']]) => extraSetting(key, first))];
}

/** What a run's options set where a setting has no default of its own. */
interface RunValues {
  readonly depth: number;
  readonly sessions: number;
  readonly processes: number;
  readonly poolSize: number;
}

/** The default of every setting; of a connector's own, the first value that it declares. */
export function defaultValues(
  connectors: readonly Settable[],
  { poolSize, ...run }: RunValues,
  axes: readonly AxisSetting[] = [],
  point: Readonly<Record<string, unknown>> = {},
): SettingValues {
  const ofTheRun = new Map(Object.entries({ ...point, ...run, pool: poolSize }));
  return Object.fromEntries(
    settingsOf(connectors, axes).map(({ key, defaultValue }) => [
      key,
      defaultValue ?? String(ofTheRun.get(key) ?? ''),
    ]),
  );
}

/** Where a target stands: values that come with its name, under keys that no setting has. */
export const place = {
  system: '@system',
  /** By the name of a target there. */
  endpoint: '@endpoint',
  route: '@route',
  hop: '@hop',
  dataAccess: '@data-access',
} as const;

/** A target's place, in the form of settings. */
export function placeOf(target: {
  readonly system: string;
  readonly base: string;
  readonly connector: Settable;
}): SettingValues {
  const { route, factors } = target.connector.manifest;
  return {
    [place.system]: target.system,
    [place.endpoint]: target.base,
    [place.route]: route,
    [place.hop]: factors.hop,
    [place.dataAccess]: factors.dataAccess,
  };
}

/** The workload's point carries it out, so that no cell has a field of it. */
function axisSetting({ key, name, accepts, parse }: AxisSetting): Setting {
  return {
    key,
    name,
    accepts,
    parse,
    offeredBy: () => 'any',
    defaultValue: null,
    of: { kind: 'axis' },
  };
}
