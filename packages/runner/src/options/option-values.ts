import { resolve } from 'node:path';
import { schemaNames } from '@fair-bench/contract';
import type { LoadSetting, SettingValue } from '@fair-bench/results';
import { z } from 'zod';
import { numbersOfRange, valuesMax } from './number-range.ts';

export const listForm = 'separated by commas, each once, or a range as 0:2:0.25 or 1:64:x2';

const seedMax = 2n ** 64n - 1n;
const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * A schema for the text of one option. When `parse` returns null, the message names what it got and what it accepts;
 * the path of the issue is the option's own name.
 */
export function optionText<T>(accepts: string, parse: (text: string) => T | null) {
  return z.string().transform((text, context) => {
    const value = parse(text.trim());
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: `got "${withoutPassword(text)}"; accepts ${accepts}` });
    return z.NEVER;
  });
}

/** A refused text may be an invalid URL with a password in it. */
function withoutPassword(text: string): string {
  return text.replace(/(:\/\/[^:@/]*):.*@/, '$1:***@');
}

/** A duration with its unit (`10s`, `500ms`, `2m`, `1.5s`), as whole milliseconds of at least `minMs`. */
export function durationText(minMs: number) {
  const accepts = `a duration of at least ${minMs} ms and at most 24 hours, such as 500ms, 10s, 2m or 1h`;
  return optionText(accepts, (text) => {
    const ms = durationMs(text);
    return ms !== null && ms >= minMs && ms <= 24 * 3_600_000 ? ms : null;
  });
}

/** The milliseconds of a text with its unit; null for any other text. */
export function durationMs(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  const unitMs = unitsMs[match?.[2] ?? ''];
  return match?.[1] === undefined || unitMs === undefined ? null : Math.round(Number(match[1]) * unitMs);
}

/** A percentage, as `1%` or `0.5%`, as a share. */
export function shareText(percentMin: number, percentMax = 100) {
  return optionText(`a percentage from ${percentMin}% to ${percentMax}%, such as 1%`, (text) => {
    const [, percent] = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(text) ?? [];
    const isShare = percent !== undefined && Number(percent) >= percentMin && Number(percent) <= percentMax;
    return isShare ? Number(percent) / 100 : null;
  });
}

/** One whole number of the range. */
export function wholeNumberText(min: number, max: number) {
  return optionText(`a whole number from ${min} to ${max}`, (text) => wholeNumber(text, min, max));
}

/** Decimal numbers, each once: a list of numbers and ranges. */
export function numbersText(accepts: string, isAccepted: (value: number) => boolean) {
  return optionText(`${accepts}, ${listForm}`, (text) => {
    const values = numbersOf(text);
    return values !== null && values.every(isAccepted) && isEachOnce(values) ? values : null;
  });
}

/** The values of a setting of the load, each once; of numbers also as ranges. */
export function settingValuesText(setting: LoadSetting) {
  const { accepts, isNumeric = false } = setting.of.option;
  return optionText(isNumeric ? `${accepts}, ${listForm}` : accepts, (text) => {
    const items = isNumeric ? numbersOf(text)?.map(String) : text.split(',');
    const values = items?.map((item) => valueFor(setting, item.trim())) ?? [null];
    const given = values.filter((value) => value !== null);
    return given.length === values.length && isEachOnce(given) ? given : null;
  });
}

function isEachOnce(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** An option gives a value or is left out; a word for the default stands for neither. */
function valueFor({ parse, of }: LoadSetting, text: string): SettingValue | null {
  const canonical = parse(text);
  return canonical === null ? null : (of.valueOf(canonical) ?? null);
}

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return optionText(`one of ${words.join(', ')}`, (text) => words.find((word) => word === text) ?? null);
}

/** A whole number of 64 bits, in its canonical form. */
export const seedText = optionText(`a whole number from 0 to ${seedMax}`, (text) =>
  /^\d{1,20}$/.test(text) && BigInt(text) <= seedMax ? BigInt(text).toString() : null,
);

/** Words separated by commas outside of brackets, each once. */
export function wordsText(accepts: string) {
  return optionText(accepts, (text) => {
    const words = text.split(/,(?![^[]*\])/).map((word) => word.trim());
    return words.includes('') || new Set(words).size < words.length ? null : words;
  });
}

/** A path, if it is given. */
export function pathText(what: string) {
  return optionText(what, (text) => (text === '' || text.includes('\0') ? null : text)).optional();
}

/** `SYSTEM=URL`. */
export const urlText = optionText(
  'SYSTEM=URL with a complete URL, such as --url mydb=mydb://127.0.0.1:5432/name',
  (text) => {
    const match = /^([a-z][a-z0-9-]*)=(.+)$/.exec(text);
    const [, system, url] = match ?? [];
    return system !== undefined && url !== undefined && URL.canParse(url) ? { system, url } : null;
  },
);

/** `SYSTEM=FILE`; its path is absolute. */
export const setupText = optionText(
  'SYSTEM=FILE with a file of CREATE TABLE statements, such as --setup postgres=db/schema.sql',
  (text) => {
    const [, system, file] = /^([a-z][a-z0-9-]*)=([^\0]+)$/.exec(text) ?? [];
    return system === undefined || file === undefined ? null : { system, file: resolve(file) };
  },
);

/** The schema of a run's objects. */
export const schemaText = optionText(
  'a name of small letters, digits and _, not one that begins with pg_',
  (text) => (schemaNames.test(text) ? text : null),
);

/** `TARGET.KEY=VALUE`. */
export const settingText = optionText('TARGET.KEY=VALUE', (text) => {
  const match = /^([a-z][a-z0-9@-]*)\.([A-Za-z][A-Za-z0-9]*)=(.*)$/.exec(text);
  const [, target, key, value] = match ?? [];
  return target !== undefined && key !== undefined && value !== undefined ? { target, key, value } : null;
});

/** `KEY=VALUES`. */
export const parameterText = optionText('KEY=VALUES, the values separated by commas', (text) => {
  const [, key, values] = /^([A-Za-z][A-Za-z0-9-]*)=(.+)$/.exec(text) ?? [];
  return key === undefined || values === undefined ? null : { key, values };
});

function wholeNumber(text: string, min: number, max: number): number | null {
  return /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : null;
}

function numbersOf(text: string): readonly number[] | null {
  const ranges = text.split(',').map((item) => numbersOfRange(item.trim()));
  if (ranges.includes(null)) return null;
  const values = ranges.flatMap((range) => range ?? []);
  return values.length > valuesMax ? null : values;
}
