import { nothingAt } from '../nothing-at.ts';
import type { ScalarValue } from '@fair-bench/contract';
import { bytesLengthNaming, hexAt, textLengthNaming } from '../draw/content.ts';
import { mix32 } from '../draw/scale.ts';

/** The result of `writeVersion` and `Hash`: two 32-bit words, so that no big integer is allocated. */
export const words = new Uint32Array(2);
const integer = new BigInt64Array(1);
const halves = new Uint32Array(integer.buffer);
const high = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/**
 * The 8 bytes that represent a value in the log of a read: its writer if the value names it (text of 24, bytes of 12
 * or more), the value itself if it fits, otherwise a hash. Equal values have equal versions.
 */
export function writeVersion(value: ScalarValue): void {
  if (typeof value === 'bigint') {
    integer[0] = value;
    words[0] = halves[high] ?? nothingAt(high);
    words[1] = halves[1 - high] ?? nothingAt(1 - high);
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    words[0] = 0;
    words[1] = Number(value);
  } else if (typeof value === 'string') {
    const [first, second] = value.length < textLengthNaming ? [-1, -1] : [hexAt(value, 0), hexAt(value, 8)];
    if (first < 0 || second < 0) return hashOf(value);
    words[0] = first;
    words[1] = second;
  } else if (value.length >= bytesLengthNaming) {
    words[0] = byteWord(value, 0);
    words[1] = byteWord(value, 4);
  } else {
    hashOf(value);
  }
  return undefined;
}

/** A version that no value has: the row is missing. */
export const absentWord = 0xffff_ffff;

/** A 64-bit hash of values, one after the other; order and place of each matter. */
export class Hash {
  #first = 0;
  #second = 0;

  clear(): void {
    this.#first = 0x9e37_79b9;
    this.#second = 0x85eb_ca6b;
  }

  add(value: ScalarValue): void {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'bigint') {
      integer[0] = value;
      this.#word(halves[high] ?? nothingAt(high));
      return this.#word(halves[1 - high] ?? nothingAt(1 - high));
    }
    if (typeof value === 'object') {
      this.#word(value.length);
      for (const byte of value) this.#word(byte);
      return undefined;
    }
    // A valid key is one word; no other value that a connector returns may look like one.
    if (typeof value === 'number' && (value < 0 || !Number.isInteger(value))) return this.#text(`${value}`);
    this.#word(typeof value === 'number' ? Math.floor(value / 2 ** 32) : 1);
    return this.#word(Number(value) >>> 0);
  }

  /** Leaves the hash in `words`. */
  finish(): void {
    words[0] = mix32(this.#first ^ mix32(this.#second)) >>> 0;
    words[1] = mix32(this.#second + Math.imul(this.#first, 0x27d4_eb2f)) >>> 0;
  }

  #word(word: number): void {
    this.#first = Math.imul(this.#first ^ word, 0x0100_0193);
    this.#first ^= this.#first >>> 15;
    this.#second = Math.imul(this.#second + word, 0xc2b2_ae35) ^ (this.#second >>> 13);
  }

  #text(text: string): void {
    this.#word(text.length);
    let first = this.#first;
    let second = this.#second;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      first = Math.imul(first ^ code, 0x0100_0193);
      second = Math.imul(second + code, 0xc2b2_ae35) ^ (second >>> 13);
    }
    this.#first = first ^ (first >>> 15);
    this.#second = second;
  }
}

const hash = new Hash();

function hashOf(value: ScalarValue): void {
  hash.clear();
  hash.add(value);
  hash.finish();
}

function byteWord(bytes: Uint8Array, from: number): number {
  return (
    ((bytes[from] ?? nothingAt(from)) << 24) |
    ((bytes[from + 1] ?? nothingAt(from + 1)) << 16) |
    ((bytes[from + 2] ?? nothingAt(from + 2)) << 8) |
    (bytes[from + 3] ?? nothingAt(from + 3))
  );
}
