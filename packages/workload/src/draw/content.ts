import { purposes, seedWords } from './splitmix64.ts';
import { mix32, scale } from './scale.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/**
 * Text and bytes that name their writer: 8 bytes of origin, a slice of a seeded pool of 1 MiB, 4 bytes with the
 * slice's offset and a check; as text the origin and the last 4 bytes are hexadecimal. Drawing only copies. Shorter
 * content is the slice alone and names nobody.
 */
const poolBytes = 2 ** 20;
export const textLengthNaming = 24;
export const bytesLengthNaming = 12;

/** The writer of a cell. `place` numbers the text and bytes arguments of an operation, including records of lists. */
type Origin =
  | {
      readonly kind: 'operation';
      readonly session: number;
      readonly sequence: number;
      readonly place: number;
    }
  | { readonly kind: 'seeded'; readonly table: number; readonly column: number; readonly row: number };

export const sessionsMax = 2 ** 20;

/** The upper word of an operation's origin; the lower one is its sequence. */
export const operationOrigin = (session: number, place: number): number => session | (place << 20);
/** The upper word of a seeded cell's origin; the lower one is its row. */
export const seededOrigin = (table: number, column: number): number => 0x8000_0000 | (table << 8) | column;

export class ContentPool {
  readonly #bytes: Uint8Array;
  readonly #text: string;
  /** Its characters. */
  readonly #letters: DataView;

  constructor(seed: bigint) {
    const random = new Xoshiro128(seedWords(seed, 0, purposes.contentPool, 4));
    const words = new DataView(new ArrayBuffer(poolBytes));
    for (let place = 0; place < poolBytes; place += 4) words.setInt32(place, random.nextInt32(), true);
    this.#bytes = new Uint8Array(words.buffer);
    const letters = new Uint8Array(poolBytes);
    let offset = 0;
    for (const byte of this.#bytes) {
      letters[offset] = letterByByte[byte] ?? 0;
      offset += 1;
    }
    this.#text = Buffer.from(letters.buffer).toString('latin1');
    this.#letters = new DataView(letters.buffer);
  }

  /** `length` letters and digits; `high` and `low` are the origin, `word` is a random word that selects the slice. */
  text(length: number, high: number, low: number, word: number): string {
    if (length < textLengthNaming) {
      const offset = scale(word, poolBytes - length + 1);
      return this.#text.slice(offset, offset + length);
    }
    const body = length - textLengthNaming;
    const offset = scale(word, poolBytes - body);
    const tail = trailer(high, low, offset);
    return hex32(high) + hex32(low) + this.#text.slice(offset, offset + body) + hex32(tail);
  }

  /** Whether `length` bytes from `begin` on are that text: whole words are compared where they are. */
  isText(view: DataView, begin: number, length: number, high: number, low: number, word: number): boolean {
    const body = length - textLengthNaming;
    if (body < 0) return latin1At(view, begin, length) === this.text(length, high, low, word);
    const offset = scale(word, poolBytes - body);
    return (
      isHexAt(view, begin, high) &&
      isHexAt(view, begin + 8, low) &&
      isHexAt(view, begin + 16 + body, trailer(high, low, offset)) &&
      areEqual(view, begin + 16, this.#letters, offset, body)
    );
  }

  /** The same as bytes, over the whole of `target`, which it returns. */
  writeBytes(target: Uint8Array, high: number, low: number, word: number): Uint8Array {
    const { length } = target;
    if (length < bytesLengthNaming) {
      const offset = scale(word, poolBytes - length + 1);
      target.set(this.#bytes.subarray(offset, offset + length));
      return target;
    }
    const body = length - bytesLengthNaming;
    const offset = scale(word, poolBytes - body);
    putWord(target, 0, high);
    putWord(target, 4, low);
    target.set(this.#bytes.subarray(offset, offset + body), 8);
    putWord(target, 8 + body, trailer(high, low, offset));
    return target;
  }

  /** The writer of a text of at least 24 characters; null when it is torn or not from this pool. */
  originOfText(text: string): Origin | null {
    const body = text.length - textLengthNaming;
    if (body < 0) return null;
    const [first, second, third] = [hexAt(text, 0), hexAt(text, 8), hexAt(text, 16 + body)];
    if (first < 0 || second < 0 || third < 0) return null;
    const [high, low, last] = [first | 0, second | 0, third | 0];
    const offset = last >>> 12;
    if (trailer(high, low, offset) !== last || offset + body > poolBytes) return null;
    if (this.#text.slice(offset, offset + body) !== text.slice(16, 16 + body)) return null;
    return originOf(high, low);
  }

  /** The writer of at least 12 bytes; null when they are torn or not from this pool. */
  originOfBytes(bytes: Uint8Array): Origin | null {
    const body = bytes.length - bytesLengthNaming;
    if (body < 0) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const [high, low, last] = [view.getInt32(0), view.getInt32(4), view.getInt32(8 + body)];
    const offset = last >>> 12;
    if (trailer(high, low, offset) !== last || offset + body > poolBytes) return null;
    const expected = this.#bytes.subarray(offset, offset + body);
    return Buffer.compare(expected, bytes.subarray(8, 8 + body)) === 0 ? originOf(high, low) : null;
  }
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const letterByByte = Uint8Array.from({ length: 256 }, (_, byte) => alphabet.charCodeAt((byte * 62) >> 8));
const hex16 = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, '0'));

function hex32(word: number): string {
  return (hex16[word >>> 16] ?? '') + (hex16[word & 0xffff] ?? '');
}

/** The word that 8 lower-case hexadecimal digits represent, unsigned; −1 for anything else. */
export function hexAt(text: string, from: number): number {
  let word = 0;
  for (let index = from; index < from + 8; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) word = (word << 4) | (code - 48);
    else if (code >= 97 && code <= 102) word = (word << 4) | (code - 87);
    else return -1;
  }
  return word >>> 0;
}

/** 20 bits of offset, then 12 that check it and the origin. */
function trailer(high: number, low: number, offset: number): number {
  const check = mix32(mix32(mix32(high) ^ low) ^ offset);
  return (offset << 12) | (check >>> 20);
}

function putWord(target: Uint8Array, offset: number, word: number): void {
  target[offset] = word >>> 24;
  target[offset + 1] = word >>> 16;
  target[offset + 2] = word >>> 8;
  target[offset + 3] = word;
}

function originOf(high: number, low: number): Origin {
  if (high < 0) {
    return { kind: 'seeded', table: (high >>> 8) & 0xff, column: high & 0xff, row: low >>> 0 };
  }
  return { kind: 'operation', session: high & 0xf_ffff, sequence: low >>> 0, place: high >>> 20 };
}

function areEqual(a: DataView, atA: number, b: DataView, atB: number, length: number): boolean {
  let place = 0;
  for (; place + 4 <= length; place += 4) {
    if (a.getInt32(atA + place) !== b.getInt32(atB + place)) return false;
  }
  for (; place < length; place += 1) if (a.getUint8(atA + place) !== b.getUint8(atB + place)) return false;
  return true;
}

function isHexAt(view: DataView, at: number, word: number): boolean {
  return view.getInt32(at) === hexWord(word >>> 16) && view.getInt32(at + 4) === hexWord(word & 0xffff);
}

/** The characters of four hexadecimal digits at once: four bits in each byte, then those above nine become letters. */
function hexWord(half: number): number {
  const bytes = (half | (half << 8)) & 0x00ff_00ff;
  const digits = (bytes | (bytes << 4)) & 0x0f0f_0f0f;
  const letters = ((digits + 0x0606_0606) >>> 4) & 0x0101_0101;
  return (digits + 0x3030_3030 + letters * 39) | 0;
}

function latin1At({ buffer }: DataView, begin: number, length: number): string {
  return Buffer.from(buffer, begin, length).toString('latin1');
}
