/**
 * ⌊word · count / 2³²⌋, exact, for the bits of an unsigned 32-bit word and 1 ≤ count ≤ 2³²: a uniform draw of
 * 0 … count − 1.
 */
export function scale(word: number, count: number): number {
  const high = word >>> 16;
  const low = word & 0xffff;
  return Math.floor((high * count + Math.floor((low * count) / 65_536)) / 65_536);
}

/** Up to here the product of a word and the count is exact in a double, and one division suffices. */
export const directCountMax = 2 ** 21;

/** The finalizer of MurmurHash3 for 32 bits: a bijection. Takes and gives the bits as a signed integer. */
export function mix32(value: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, 0x85eb_ca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2_ae35);
  return x ^ (x >>> 16);
}

/**
 * YCSB's fold of an item (0 ≤ item < 2⁵³) onto 0 … count − 1: FNV-1a over its eight octets, the lowest first, as a
 * signed 64-bit integer; its absolute value modulo count.
 */
export function foldItem(item: number, count: number): number {
  let high = 0xcbf2_9ce4;
  let low = 0x8422_2325;
  let rest = item;
  for (let octet = 0; octet < 8; octet += 1) {
    const next = Math.floor(rest / 256);
    low = (low ^ (rest - next * 256)) >>> 0;
    rest = next;
    // Times 2⁴⁰ + 435.
    const product = low * 435;
    high = (high * 435 + Math.floor(product / 4_294_967_296) + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  if (high >= 0x8000_0000) {
    low = -low >>> 0;
    high = (low === 0 ? -high : ~high) >>> 0;
  }
  let remainder = high % count;
  remainder = (remainder * 65_536 + (low >>> 16)) % count;
  return (remainder * 65_536 + (low & 0xffff)) % count;
}
