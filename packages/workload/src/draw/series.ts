/**
 * Logarithm and exponential from IEEE 754 additions, multiplications and divisions in a fixed order: the last bit of
 * `Math.log` and `Math.exp` differs between engines and languages. Within 2 units of the last place; used at set-up
 * to fill the tables of elementary.ts.
 */

export const ln2High = 0.693_147_180_369_123_8;
export const ln2Low = 1.908_214_929_270_587_7e-10;

const bits = new DataView(new ArrayBuffer(8));

/**
 * Natural logarithm of a normal positive double: x = 2^k · m with m in [√½, √2);
 * log m = 2 · (s + s³/3 + s⁵/5 + … + s²¹/21) with s = (m − 1) / (m + 1).
 */
export function seriesLog(x: number): number {
  bits.setFloat64(0, x);
  // Offset by the high word of √½, the exponent field is that of a mantissa in [√½, √2).
  const k = ((bits.getUint32(0) + 0x0009_5f62) >>> 20) - 1023;
  const m = x / 2 ** k;
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let sum = 1 / 21;
  for (let divisor = 19; divisor >= 3; divisor -= 2) sum = sum * z + 1 / divisor;
  const double = s + s;
  return k * ln2High + (double + (double * (z * sum) + k * ln2Low));
}

/**
 * e to the power of x, for −708 ≤ x ≤ 709: x = k · ln 2 + r with |r| ≤ ½ ln 2; exp r by its Taylor
 * series up to r¹³.
 */
export function seriesExp(x: number): number {
  const k = Math.floor(x * 1.442_695_040_888_963_4 + 0.5);
  const r = x - k * ln2High - k * ln2Low;
  let factorial = 6_227_020_800;
  let sum = 1 / factorial;
  for (let degree = 12; degree >= 2; degree -= 1) {
    factorial /= degree + 1;
    sum = sum * r + 1 / factorial;
  }
  return (1 + (r + r * r * sum)) * 2 ** k;
}
