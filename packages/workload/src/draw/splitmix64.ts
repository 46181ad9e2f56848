const mask64 = 0xffff_ffff_ffff_ffffn;
const golden = 0x9e37_79b9_7f4a_7c15n;

/** The purpose of a sequence of pseudo-random words; sequences of different purposes are independent. */
export const purposes = {
  operations: 1n,
  /** The first table has 2. */
  permutation: (table: number): bigint => (table === 0 ? 2n : 256n + BigInt(table)),
  contentPool: 3n,
  seededColumn: (table: number, column: number): bigint => 65_536n + 256n * BigInt(table) + BigInt(column),
} as const;

/**
 * An even number of 32-bit words, two per 64-bit output and the low one first, of the splitmix64 sequence (Steele,
 * Lea & Flood 2014) of (seed, session, purpose). Only for set-up: it works on big integers.
 */
export function seedWords(seed: bigint, session: number, purpose: bigint, words: number): Uint32Array {
  let state = mix64((seed & mask64) + golden);
  state = mix64((state ^ BigInt(session)) + golden);
  state = mix64((state ^ purpose) + golden);
  const result = new Uint32Array(words);
  for (let index = 0; index < words; index += 2) {
    state = (state + golden) & mask64;
    const output = mix64(state);
    result[index] = Number(output & 0xffff_ffffn);
    result[index + 1] = Number(output >> 32n);
  }
  return result;
}

/** The finalizer of splitmix64: a bijection of 64-bit integers. */
function mix64(value: bigint): bigint {
  let z = value & mask64;
  z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & mask64;
  z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & mask64;
  return z ^ (z >> 31n);
}
