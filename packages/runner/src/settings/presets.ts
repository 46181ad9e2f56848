import { type Settable, type Setting, settingsOf, type SettingValues } from '@fair-bench/results';

/** The order of the words in a target's name; a connector's own settings follow. */
const nameOrder = [
  'runtime',
  'processes',
  'profile',
  'isolation',
  'durability',
  'protocol',
  'pooler',
  'poolerPool',
  'poolerWorkers',
  'pool',
  'program',
  'setup',
];

/** The settings for a text such as `bun-tuned-async`; null when a word of it is no preset of the connector. */
export function presetsIn(text: string, connector: Settable): SettingValues | null {
  for (const { word, key, value } of presetsOf(connector)) {
    if (text === word) return { [key]: value };
    const others = text.startsWith(`${word}-`) ? presetsIn(text.slice(word.length + 1), connector) : null;
    if (others !== null) return { [key]: value, ...others };
  }
  for (const { key, parse } of numbersOf(connector)) {
    const [, number = '', rest = ''] = new RegExp(`^${key}-(\\d+)(?:-(.+))?$`).exec(text) ?? [];
    const value = parse(number);
    const others = rest === '' ? {} : presetsIn(rest, connector);
    if (value !== null && others !== null) return { [key]: value, ...others };
  }
  return null;
}

/** The presets of a connector, for an error: `bun, tuned, processes-N`; empty when it has none. */
export function presetWords(connector: Settable): string {
  const numbers = numbersOf(connector).map(({ key }) => `${key}-N`);
  return [...presetsOf(connector).map(({ word }) => word), ...numbers].join(', ');
}

/**
 * A target's name with the values that differ from its base, always in the same order. Without differences it is the
 * base's name.
 * @param own the settings that a configuration gives the base.
 */
export function nameOfTarget(
  base: string,
  values: SettingValues,
  own: SettingValues,
  connector: Settable,
): string {
  const words = inNameOrder(connector).flatMap(({ key, defaultValue, of }) => {
    const value = values[key];
    if (of.kind !== 'target' || value === undefined || value === (own[key] ?? defaultValue)) return [];
    // The default has no word, and needs one if the configuration sets another value.
    return value === defaultValue ? [`${key}-${value}`] : [of.word(value)];
  });
  return words.length === 0 ? base : `${base}@${words.join('-')}`;
}

interface Preset {
  readonly word: string;
  readonly key: string;
  readonly value: string;
}

function presetsOf(connector: Settable): readonly Preset[] {
  return inNameOrder(connector).flatMap(({ key, defaultValue, of, offeredBy }) => {
    const offered = offeredBy(connector.manifest);
    if (of.kind !== 'target' || !of.isPreset || offered === null || offered === 'any') return [];
    const others = offered.filter((value) => value !== defaultValue);
    return others.map((value) => ({ word: of.word(value), key, value }));
  });
}

/** Presets that stand for a number. */
function numbersOf(connector: Settable): readonly Setting[] {
  return inNameOrder(connector).filter(
    ({ of, offeredBy }) => of.kind === 'target' && of.isPreset && offeredBy(connector.manifest) === 'any',
  );
}

function inNameOrder(connector: Settable): readonly Setting[] {
  const rank = ({ key }: Setting): number =>
    nameOrder.includes(key) ? nameOrder.indexOf(key) : nameOrder.length;
  return settingsOf([connector]).toSorted((a, b) => rank(a) - rank(b));
}
