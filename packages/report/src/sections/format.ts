import type { Interval } from '@fair-bench/contract';

/** Numbers as a person reads them; the JSON has them in full. */

type Ci95 = Readonly<Interval> | null;

/** Made once: a page has thousands of numbers. */
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

/** `2.41 ×`, with two decimals or, below 1, three significant digits. */
export function formatRatio(ratio: number): string {
  if (ratio >= 100) return formatNumber(ratio);
  return ratio >= 1 ? ratio.toFixed(2) : ratio.toPrecision(3);
}

/** ` [2.30, 2.52]`, or nothing without an interval. */
export function bracketed(ci95: Ci95): string {
  return ci95 === null ? '' : ` [${formatRatio(ci95[0])}, ${formatRatio(ci95[1])}]`;
}

/** `2.41 × [2.30, 2.52]`. */
export function ratioText({ ratio, ci95 }: { readonly ratio: number; readonly ci95: Ci95 }): string {
  return `${formatRatio(ratio)} ×${bracketed(ci95)}`;
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

/** A setting's value for people: `RPC server` of `rpc-server`. */
export function valueInWords(value: string): string {
  if (!/^[a-z]+(-[a-z]+)*$/.test(value)) return value;
  return value.replaceAll('-', ' ').replaceAll(/\b(orm|rpc)\b/g, (word) => word.toUpperCase());
}

export const absent = '–';
