/** Numbers as a person reads them; the JSON has them in full. */

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
