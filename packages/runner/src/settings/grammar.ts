import { suggestion } from '../options/nearest.ts';
import { presetsIn, presetWords } from './presets.ts';
import type { Settable, Setting, SettingValues } from '@fair-bench/results';

/** The parts of `TARGET`, `TARGET@presets`, `TARGET[key=value,…]` or `TARGET@presets[key=value,…]`. */
interface TargetText {
  readonly name: string;
  /** What follows `@`; null without one. */
  readonly presets: string | null;
  readonly pairs: readonly (readonly [key: string, value: string])[];
}

/** The form in which options, configuration and claims name a target with settings. */
export const targetForm = 'TARGET[key=value,…]';

/** Splits a target's text; null when it does not have the form. */
export function splitTarget(text: string): TargetText | null {
  const match = /^([a-z0-9-]+)(?:@([a-z0-9-]*))?(?:\[(.*)\])?$/.exec(text.trim());
  if (match === null) return null;
  const [, name = '', presets, list = ''] = match;
  const pairs = list.split(',').filter((pair) => pair.trim() !== '');
  return {
    name,
    presets: presets ?? null,
    pairs: pairs.map((pair) => {
      const [key = '', ...value] = pair.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  };
}

/**
 * The values that a target's text sets, checked against the connector's manifest.
 * @param table the settings that can be set here.
 * @param refuse throws an error that says what is accepted.
 */
export function valuesIn(
  { name, presets, pairs }: TargetText,
  connector: Settable,
  table: readonly Setting[],
  refuse: (accepts: string) => never,
): SettingValues {
  const values: Record<string, string> = {};
  if (presets !== null) {
    const meant = presetsIn(presets, connector);
    if (meant === null) {
      const known = presetWords(connector);
      return refuse(`${name}, ${known === '' ? 'and no variant of it' : `with @ and ${known}`}`);
    }
    Object.assign(values, meant);
  }
  const own = table.filter(({ offeredBy }) => offeredBy(connector.manifest) !== null);
  const keys = own.map(({ key }) => key);
  for (const [key, text] of pairs) {
    const setting = own.find((one) => one.key === key);
    if (setting === undefined) {
      return refuse(
        `settings that ${name} has: ${keys.join(', ')}, which "${key}" is not${suggestion(key, keys)}`,
      );
    }
    const offered = setting.offeredBy(connector.manifest);
    const value = setting.parse(text);
    if (value === null) return refuse(`${key}: ${setting.accepts}`);
    if (offered !== 'any' && offered !== null && !offered.includes(value)) {
      return refuse(`${name} cannot have ${setting.name} ${value}: it has ${offered.join(', ')}`);
    }
    values[key] = value;
  }
  return values;
}
