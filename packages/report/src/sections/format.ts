import type { Interval } from '@fair-bench/contract';

/** Numbers rounded for people; the JSON has them in full. */

type Ci95 = Readonly<Interval> | null;

/** Created once: a page has thousands of numbers. */
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Three significant digits below 100, whole with thousands separated above. */
export function formatNumber(value: number): string {
  if (value !== 0 && Math.abs(value) < 99.95) return Number(value.toPrecision(3)).toString();
  return whole.format(Math.round(value));
}

/** `–` where there is no value. */
export function formatOptional(value: number | null): string {
  return value === null ? absent : formatNumber(value);
}

/** `2.41`, `25.4`, `316`: three significant digits, thousands whole. */
export function formatRatio(ratio: number): string {
  return ratio >= 99.95 ? formatNumber(ratio) : ratio.toPrecision(3);
}

/** `[2.30, 2.52]`. */
export function bracketed([low, high]: Readonly<Interval>): string {
  return `[${formatRatio(low)}, ${formatRatio(high)}]`;
}

/** The mark of an interval by an assumed deviation between runs. */
export function assumedMark({ runs }: { readonly runs: number }): string {
  return runs === 0 ? ' *' : '';
}

/** `2.41 × [2.30, 2.52]`. */
export function ratioText({ ratio, ci95 }: { readonly ratio: number; readonly ci95: Ci95 }): string {
  return `${formatRatio(ratio)} ×${ci95 === null ? '' : ` ${bracketed(ci95)}`}`;
}

/** The same ratio from the other side. */
export function inverseOf({ ratio, ci95 }: { readonly ratio: number; readonly ci95: Ci95 }): {
  readonly ratio: number;
  readonly ci95: Ci95;
} {
  return { ratio: 1 / ratio, ci95: ci95 === null ? null : inverseInterval(ci95) };
}

export function inverseInterval([low, high]: Readonly<Interval>): Interval {
  return [1 / high, 1 / low];
}

/** `± 12.3`: half of an interval; `alone` without one. */
export function plusMinus(mean: number, ci95: Ci95, alone = '1 trial'): string {
  return ci95 === null ? alone : `± ${formatNumber(ci95[1] - mean)}`;
}

/** `2.30 – 2.52`. */
export function rangeText(ci95: Ci95, format = formatRatio): string {
  return ci95 === null ? absent : `${format(ci95[0])} – ${format(ci95[1])}`;
}

export function formatSeconds(ms: number): string {
  return `${formatNumber(ms / 1000)} s`;
}

/** `1 round`, `3 rounds`. */
export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A setting's value for people: `RPC server` of `rpc-server`. */
export function valueInWords(value: string): string {
  if (!/^[a-z]+(-[a-z]+)*$/.test(value)) return value;
  return value.replaceAll('-', ' ').replaceAll(/\b(orm|rpc)\b/g, (word) => word.toUpperCase());
}

/**
 * The two targets of a heading, without settings; two of one target with the settings that differ. And the settings
 * that both share.
 */
export function endsInShort({ from, to }: { readonly from: string; readonly to: string }) {
  const [first, second] = [partsOf(from), partsOf(to)];
  const named = (one: TargetParts, other: TargetParts): string => {
    if (one.name !== other.name) return one.name;
    const own = one.settings.filter((setting) => !other.settings.includes(setting));
    return own.length === 0 ? one.name : `${one.name}[${own.join(',')}]`;
  };
  const shared = first.settings.filter((setting) => second.settings.includes(setting));
  return { from: named(first, second), to: named(second, first), shared };
}

type TargetParts = ReturnType<typeof partsOf>;

function partsOf(target: string) {
  const [name = target, settings = ''] = target.split(/[[\]]/);
  return { name, settings: settings === '' ? [] : settings.split(',') };
}

export const absent = '–';
