import { badOption } from '@fair-bench/contract';
import type { FoundConnector } from '../discover/workspace.ts';
import { suggestion } from '../options/nearest.ts';
import { splitTarget, targetForm, valuesIn } from '../settings/grammar.ts';
import { refusalBy, type Setting, type SettingValues } from '@fair-bench/results';
import type { TargetDefinition } from '../targets/definition.ts';

/** The fastest depth of a target, which is searched first. */
export const bestDepth = 'best';

/** One end of a gap as the user gives it: a target with some settings. */
export interface GivenEnd {
  /** `--from` or `--to` without its dashes, for errors. */
  readonly option: string;
  readonly text: string;
  /** The target's name without its settings. */
  readonly base: string;
  readonly connector: FoundConnector;
  readonly given: SettingValues;
}

/** One complete end: every setting has a value. The depth may still be `best`. */
export interface End extends GivenEnd {
  readonly settings: SettingValues;
}

/** A target that can be an end: a connector's, or one of the user's configuration with its settings. */
export type PossibleEnd = Pick<TargetDefinition, 'base' | 'connector' | 'own'>;

/**
 * Reads `TARGET[key=value,…]` or `TARGET@preset`, as `postgres-driver@async[depth=8]`. A setting that the target
 * lacks is an InputError that names the option.
 */
export function parseEnd(
  option: string,
  text: string,
  targets: readonly PossibleEnd[],
  table: readonly Setting[],
): GivenEnd {
  const named = splitTarget(text);
  const names = targets.map(({ base }) => base);
  const target = targets.find(({ base }) => base === named?.name);
  if (named === null || target === undefined) {
    const near = suggestion(named?.name ?? '', names);
    throw badOption(
      option,
      text,
      `${targetForm} or TARGET@preset with a target of ${names.join(', ')}${near}`,
    );
  }
  const { base, connector, own } = target;
  const values = valuesIn(named, connector, table.map(orBestDepth), (accepts) => {
    throw badOption(option, text, `${accepts}; hop and data access come with the target's name`);
  });
  return { option, text, base, connector, given: { ...own, ...values } };
}

function orBestDepth(setting: Setting): Setting {
  if (setting.key !== 'depth') return setting;
  return {
    ...setting,
    accepts: `${setting.accepts}, or ${bestDepth}`,
    parse: (text) => (text === bestDepth ? text : setting.parse(text)),
  };
}

/** What completes the ends. */
interface Completion {
  readonly table: readonly Setting[];
  readonly defaults: SettingValues;
  /** The depth of a native end that does not name one. */
  readonly nativeDepth: string;
}

/**
 * Both ends with a value for every setting: the named one; otherwise that of `from`, if `to` supports it; otherwise
 * the default. A `to` that only names the target of `from` has the defaults in place of what `from` names, because it
 * would be the same end otherwise. An InputError names an end that is impossible.
 */
export function completeEnds(
  from: GivenEnd,
  to: GivenEnd,
  completion: Completion,
): { readonly from: End; readonly to: End } {
  const first = complete(from, completion.defaults, completion);
  const isSame =
    to.base === from.base && Object.entries(to.given).every(([key, value]) => value === from.given[key]);
  const named = Object.keys(from.given).map((key) => [key, completion.defaults[key] ?? '']);
  const before = isSame ? { ...first.settings, ...Object.fromEntries(named) } : first.settings;
  return { from: first, to: complete(to, before, completion) };
}

function complete(end: GivenEnd, before: SettingValues, { table, defaults, nativeDepth }: Completion): End {
  const { connector, given, option, text } = end;
  const settings: Record<string, string> = {};
  for (const { key, offeredBy } of table) {
    const offered = offeredBy(connector.manifest);
    const fallbacks = [before[key] ?? '', defaults[key] ?? ''];
    if (offered === null) settings[key] = given[key] ?? defaults[key] ?? '';
    else if (offered === 'any') settings[key] = given[key] ?? fallbacks[0] ?? '';
    else {
      const possible = fallbacks.find((value) => offered.includes(value)) ?? offered[0];
      settings[key] = given[key] ?? possible ?? '';
    }
  }
  if (settings['client'] === 'native' && given['depth'] === undefined) settings['depth'] = nativeDepth;
  const refusal = refusalBy(connector, table, settings, defaults);
  if (refusal !== null) throw badOption(option, text, `settings that the target supports; ${refusal}`);
  return { ...end, settings };
}

/** The end's name in reports: the target with every setting that differs from its default, and its client and depth. */
export function describeEnd(
  { base }: Pick<End, 'base'>,
  settings: SettingValues,
  defaults: SettingValues,
): string {
  const shown = Object.entries(settings).filter(
    ([key, value]) => value !== defaults[key] || key === 'client' || key === 'depth',
  );
  return `${base}[${shown.map(([key, value]) => `${key}=${value}`).join(',')}]`;
}
