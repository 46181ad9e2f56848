/** The most values of one option: a range with more is probably a typing error. */
export const valuesMax = 1000;

const number = String.raw`-?\d{1,15}(?:\.\d{1,9})?`;
const form = new RegExp(`^(${number})(?::(${number}):(x?)(${number}))?$`);
/** Rounding error of adding or multiplying decimals. */
const rounding = 1e-9;

/**
 * The values of one number or of a range: `FROM:TO:STEP` adds the step, `FROM:TO:xFACTOR` multiplies by the factor,
 * up to and including TO. Null for anything else, for a range that is empty or does not rise, and for one of more
 * than 1000 values.
 */
export function numbersOfRange(text: string): readonly number[] | null {
  const [, first, last, times, by] = form.exec(text) ?? [];
  if (first === undefined) return null;
  const from = Number(first);
  if (last === undefined || by === undefined) return [from];
  const isProduct = times === 'x';
  const [to, step] = [Number(last), Number(by)];
  if (isProduct ? !(from > 0 && step > 1) : !(step > 0)) return null;
  const values: number[] = [];
  for (let index = 0; index <= valuesMax; index += 1) {
    const value = isProduct ? from * step ** index : from + step * index;
    if (value - to > rounding * Math.max(1, Math.abs(to))) break;
    values.push(Number(value.toPrecision(12)));
  }
  return values.length === 0 || values.length > valuesMax ? null : values;
}
