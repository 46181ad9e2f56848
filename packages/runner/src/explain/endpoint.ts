import type { FoundConnector } from '../discover/workspace.ts';
import { badOption } from '@fair-bench/contract';
import { suggestion } from '../targets/select-targets.ts';
import { parseVariant, type Variant } from '../targets/variant.ts';
import { bestDepth, plainIsolation, refusalBy, type Settings, type Switch } from './switches.ts';

/** One end of a gap as it was asked for: a connector, and the settings that were named. */
export interface GivenEnd {
  /** `--from` or `--to` without its dashes, for errors. */
  readonly option: string;
  readonly text: string;
  readonly connector: FoundConnector;
  readonly given: Settings;
}

/** One end complete: every switch has a value. The depth may still be `best`. */
export interface End extends GivenEnd {
  readonly settings: Settings;
}

/**
 * Reads `TARGET`, `TARGET[key=value,…]` or either with a variant, as `postgres-driver@async[depth=8]`. What the
 * target does not have is an InputError that names the option.
 */
export function parseEnd(
  option: string,
  text: string,
  connectors: readonly FoundConnector[],
  switches: readonly Switch[],
): GivenEnd {
  const match = /^([a-z0-9-]+)(?:@([a-z0-9-]+))?(?:\[(.*)\])?$/.exec(text.trim());
  const [, name = '', variant = '', list = ''] = match ?? [];
  const names = connectors.map((connector) => connector.name);
  const connector = connectors.find((candidate) => candidate.name === name);
  if (match === null || connector === undefined) {
    throw badOption(
      option,
      text,
      `TARGET or TARGET[key=value,…] with a target of ${names.join(', ')}${suggestion(name, names)}`,
    );
  }
  const meaning = parseVariant(variant, connector.manifest.factors);
  if (meaning === null) throw badOption(option, text, `variants that ${name} has, which @${variant} is not`);
  const given: Record<string, string> = { ...settingsOfVariant(meaning) };
  for (const pair of list.split(',').filter((part) => part.trim() !== '')) {
    const { key, value } = parsePair(option, text, pair, connector, switches);
    given[key] = value;
  }
  return { option, text, connector, given };
}

/** What completes the ends. */
export interface Completion {
  readonly switches: readonly Switch[];
  readonly plain: Settings;
  /** The depth of a native end that names none. */
  readonly nativeDepth: string;
}

/**
 * Both ends with every switch at a value: what is named; else what `from` has, where `to` can have it too; else
 * the plain one. An InputError says which end cannot be what was asked for.
 */
export function completeEnds(
  from: GivenEnd,
  to: GivenEnd,
  completion: Completion,
): { readonly from: End; readonly to: End } {
  const first = complete(from, completion.plain, completion);
  return { from: first, to: complete(to, first.settings, completion) };
}

function complete(end: GivenEnd, before: Settings, { switches, plain, nativeDepth }: Completion): End {
  const { connector, given, option, text } = end;
  const settings: Record<string, string> = {};
  for (const { key, offeredBy } of switches) {
    const offered = offeredBy(connector.manifest);
    const fallbacks = [before[key] ?? '', plain[key] ?? ''];
    if (offered === null) settings[key] = given[key] ?? plain[key] ?? '';
    else if (offered === 'any') settings[key] = given[key] ?? fallbacks[0] ?? '';
    else {
      const possible = fallbacks.find((value) => offered.includes(value)) ?? offered[0];
      settings[key] = given[key] ?? possible ?? '';
    }
  }
  if (settings['client'] === 'native' && given['depth'] === undefined) settings['depth'] = nativeDepth;
  const refusal = refusalBy(connector, switches, settings, plain);
  if (refusal !== null) throw badOption(option, text, `what the target can be; ${refusal}`);
  return { ...end, settings };
}

/** The end as reports name it: the connector with every setting that is not as plain, and its client and depth. */
export function describeEnd(
  { connector }: Pick<End, 'connector'>,
  settings: Settings,
  plain: Settings,
): string {
  const shown = Object.entries(settings).filter(
    ([key, value]) => value !== plain[key] || key === 'client' || key === 'depth',
  );
  return `${connector.name}[${shown.map(([key, value]) => `${key}=${value}`).join(',')}]`;
}

function parsePair(
  option: string,
  text: string,
  pair: string,
  { name, manifest }: FoundConnector,
  switches: readonly Switch[],
): { readonly key: string; readonly value: string } {
  const [key = '', value = ''] = pair.split('=', 2).map((part) => part.trim());
  const had = switches.filter(({ offeredBy }) => offeredBy(manifest) !== null);
  const keys = had.map((one) => one.key);
  const found = had.find((one) => one.key === key);
  if (found === undefined) {
    throw badOption(
      option,
      text,
      `settings that ${name} has: ${keys.join(', ')}, which "${key}" is not${suggestion(key, keys)}; hop and data access come with the target's name`,
    );
  }
  if (key === 'depth' && value === bestDepth) return { key, value };
  const parsed = found.parse(value);
  if (parsed !== null) return { key, value: parsed };
  throw badOption(option, text, `${key}: ${found.accepts}${key === 'depth' ? `, or ${bestDepth}` : ''}`);
}

function settingsOfVariant({ profile, durability, isolation, appRuntime, processes }: Variant): Settings {
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(durability === undefined ? {} : { durability }),
    ...(isolation === undefined ? {} : { isolation: isolation ?? plainIsolation }),
    ...(appRuntime === undefined ? {} : { runtime: appRuntime }),
    ...(processes === undefined ? {} : { processes: String(processes) }),
  };
}
