import type { AppRuntime, RouteFactors, TargetSettings } from '@fair-bench/contract';
import type { TargetDefinition } from './definition.ts';

/** Settings that a target's name tells after its `@`, as in `postgres-driver@tuned-async`. */
export type Variant = Partial<
  Pick<TargetSettings, 'profile' | 'durability' | 'isolation' | 'appRuntime' | 'processes'>
>;

const asyncWord = 'async';
const processesWord = /^processes-(\d{1,4})$/;
const plainRuntime: AppRuntime = 'node';
const plainProfile = 'default';

/** The definition with other settings, under the name that tells them. */
export function withVariant(definition: TargetDefinition, variant: Variant): TargetDefinition {
  const [base = definition.target, before = ''] = definition.target.split('@');
  const { factors } = definition.connector.manifest;
  const all = { ...parseVariant(before, factors), ...variant };
  const name = variantName(all);
  const settings = { ...definition.settings, ...variant };
  return { ...definition, target: name === '' ? base : `${base}@${name}`, settings };
}

/** A variant in words, always in the same order; empty when everything is as it is by default. */
export function variantName({ profile, durability, isolation, appRuntime, processes }: Variant): string {
  const words: string[] = [];
  if (appRuntime !== undefined && appRuntime !== plainRuntime) words.push(appRuntime);
  if (processes !== undefined) words.push(`processes-${processes}`);
  if (profile !== undefined && profile !== plainProfile) words.push(profile);
  if (isolation !== undefined && isolation !== null) words.push(isolation);
  if (durability === 'async') words.push(asyncWord);
  return words.join('-');
}

/** What follows a target's `@`, read back; null when a word of it is nothing that the connector can be told. */
export function parseVariant(text: string, factors: RouteFactors): Variant | null {
  if (text === '') return {};
  for (const [word, meaning] of wordsOf(factors)) {
    const rest = restAfter(text, word);
    const others = rest === null ? null : parseVariant(rest, factors);
    if (others !== null) return { ...meaning, ...others };
  }
  const [word = '', count] = /^processes-(\d+)/.exec(text) ?? [];
  const rest = factors.processes && processesWord.test(word) ? restAfter(text, word) : null;
  const others = rest === null ? null : parseVariant(rest, factors);
  return others === null || Number(count) < 1 ? null : { processes: Number(count), ...others };
}

/** The words that the connector's factors allow, each with its meaning. */
export function wordsOf(factors: RouteFactors): ReadonlyMap<string, Variant> {
  return new Map<string, Variant>([
    ...factors.appRuntime
      .filter((appRuntime) => appRuntime !== plainRuntime)
      .map((appRuntime) => [appRuntime, { appRuntime }] as const),
    ...factors.profile
      .filter((profile) => profile !== plainProfile)
      .map((profile) => [profile, { profile }] as const),
    ...factors.isolation.map((isolation) => [isolation, { isolation }] as const),
    ...factors.durability
      .filter((durability) => durability === 'async')
      .map((durability) => [asyncWord, { durability }] as const),
  ]);
}

/** What is left of `text` after the whole word it begins with; null when it does not. */
function restAfter(text: string, word: string): string | null {
  if (text === word) return '';
  return text.startsWith(`${word}-`) ? text.slice(word.length + 1) : null;
}
