import { ln2High, ln2Low, seriesExp, seriesLog } from './series.ts';

/**
 * Logarithm and exponential for the timed loop: tables of 128 values and short polynomials, in IEEE 754 additions and
 * multiplications in a fixed order. SPECIFICATION.md has the same in formulas. The functions named `…InPlace` take
 * their argument from `register[0]` and leave their result there: V8 allocates a double that crosses a call which it
 * did not inline, and the timed loop must not allocate.
 */
export const register = new Float64Array(1);

const words = new Uint32Array(register.buffer);
const highWord = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** The high word of √½: relative to it, the exponent field is that of a mantissa in [√½, √2). */
const rootHigh = 0x3fe6_a09e;
const rootOffset = 0x3ff0_0000 - rootHigh;

const third = 1 / 3;
const sixth = 1 / 6;
const twentyFourth = 1 / 24;
const hundredTwentieth = 1 / 120;
const sevenHundredTwentieth = 1 / 720;

const centers = Float64Array.from({ length: 128 }, (_, index) => centerOf(index));
const centerInverses = centers.map((center) => 1 / center);
const centerLogs = centers.map((center) => seriesLog(center));

const stepsPerUnit = 184.664_965_233_787_3;
const stepHigh = ln2High / 128;
const stepLow = ln2Low / 128;
const stepPowers = Float64Array.from({ length: 128 }, (_, step) =>
  seriesExp(step * 0.005_415_212_348_124_572_5),
);

const exponentMin = -1022;
const powersOfTwo = Float64Array.from({ length: 2046 }, (_, index) => 2 ** (index + exponentMin));

/** Natural logarithm of a normal positive double, to about 2⁻⁵² of max(1, |result|). */
export function log(x: number): number {
  register[0] = x;
  logInPlace();
  return register[0];
}

/** e to the power of x ≤ 709, to about 2⁻⁵² of the result; 0 below −708. */
export function exp(x: number): number {
  register[0] = x;
  expInPlace();
  return register[0];
}

/** (exp(x) − 1) / x. */
export function expm1OverX(x: number): number {
  if (x > -1e-3 && x < 1e-3) {
    return (
      1 + x * (0.5 + x * (sixth + x * (twentyFourth + x * (hundredTwentieth + x * sevenHundredTwentieth))))
    );
  }
  return (exp(x) - 1) / x;
}

/** log(1 + x) / x for x > −1. */
export function log1pOverXInPlace(): void {
  const x = register[0] ?? 0;
  if (x > -1e-3 && x < 1e-3) {
    register[0] = 1 - x * (0.5 - x * (third - x * (0.25 - x * (0.2 - x * sixth))));
    return;
  }
  register[0] = 1 + x;
  logInPlace();
  register[0] = (register[0] ?? 0) / x;
}

/** x = 2^k · m, m in [√½, √2); log m = log c + log(1 + r), with c the center of the 128th that m is in. */
export function logInPlace(): void {
  const x = register[0] ?? 0;
  const shifted = (words[highWord] ?? 0) + rootOffset;
  const k = (shifted >>> 20) - 1023;
  const index = (shifted >>> 13) & 127;
  const r = x * power(-k) * (centerInverses[index] ?? 0) - 1;
  const r2 = r * r;
  const series = r * third - 0.5 + r2 * (r * 0.2 - 0.25 - r2 * sixth);
  register[0] = k * ln2High + (centerLogs[index] ?? 0) + (r + (r2 * series + k * ln2Low));
}

/** x = (128 · k + j) · ln 2 / 128 + r; exp x = 2^k · 2^(j/128) · exp r. */
export function expInPlace(): void {
  const x = register[0] ?? 0;
  if (x < -708) {
    register[0] = 0;
    return;
  }
  // ⌊x · 128 / ln 2 + ½⌋, by truncation of a positive number.
  const steps = ((x * stepsPerUnit + 131_072.5) | 0) - 131_072;
  const r = x - steps * stepHigh - steps * stepLow;
  const r2 = r * r;
  const series = 0.5 + r * sixth + r2 * (twentyFourth + r * hundredTwentieth);
  const root = stepPowers[steps & 127] ?? 0;
  register[0] = (root + root * (r + r2 * series)) * power(steps >> 7);
}

/** 2 to the power of k, exact, for −1022 ≤ k ≤ 1023: a load is faster than to compose the bits. */
function power(k: number): number {
  return powersOfTwo[k - exponentMin] ?? 0;
}

function centerOf(index: number): number {
  words[1 - highWord] = 0;
  words[highWord] = rootHigh + index * 8192 + 4096;
  return register[0] ?? 0;
}
