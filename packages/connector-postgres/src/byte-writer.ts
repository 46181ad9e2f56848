import type { ScalarValue } from '@fair-bench/contract';

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** Writes values in PostgreSQL's binary format, integers big-endian, one after the other into a growing buffer. */
export class ByteWriter {
  #bytes = Buffer.alloc(128);
  #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
  #written = this.#bytes;
  /** Where the next value goes. */
  at = 0;

  int16s(...values: readonly number[]): void {
    for (const value of values) {
      this.#reserve(2);
      this.#view.setInt16(this.at, value);
      this.at += 2;
    }
  }

  int32s(...values: readonly number[]): void {
    for (const value of values) {
      this.#reserve(4);
      this.#view.setInt32(this.at, value);
      this.at += 4;
    }
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** A value after its length, in the format of its type. Throws a RangeError for an integer beyond 64 bits. */
  value(value: ScalarValue): void {
    if (typeof value === 'number') {
      this.#reserve(12);
      this.#view.setInt32(this.at, 8);
      this.#view.setInt32(this.at + 4, 0);
      this.#view.setUint32(this.at + 8, value);
      this.at += 12;
    } else if (typeof value === 'bigint') {
      if (value > int64Max || value < int64Min) throw new RangeError(`${value} does not fit into 64 bits`);
      this.#reserve(12);
      this.#view.setInt32(this.at, 8);
      this.#view.setBigInt64(this.at + 4, value);
      this.at += 12;
    } else if (typeof value === 'string') {
      this.#reserve(4 + value.length);
      this.#view.setInt32(this.at, value.length);
      // ASCII: one byte per character.
      this.at += 4 + this.#bytes.write(value, this.at + 4, 'latin1');
    } else if (typeof value === 'boolean') {
      this.#reserve(5);
      this.#view.setInt32(this.at, 1);
      this.#view.setUint8(this.at + 4, Number(value));
      this.at += 5;
    } else {
      this.#reserve(4 + value.length);
      this.#view.setInt32(this.at, value.length);
      this.#bytes.set(value, this.at + 4);
      this.at += 4 + value.length;
    }
  }

  /** Writes a length in front of what it counts. */
  lengthAt(at: number, length: number): void {
    this.#view.setInt32(at, length);
  }

  /** The written bytes, without a copy: the next call overwrites them. */
  written(): Buffer {
    if (this.#written.length !== this.at) this.#written = this.#bytes.subarray(0, this.at);
    return this.#written;
  }

  #reserve(size: number): void {
    if (this.at + size <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(this.at + size, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer, grown.byteOffset, grown.byteLength);
    this.#written = grown;
  }
}
