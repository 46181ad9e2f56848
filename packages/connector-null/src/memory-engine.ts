import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bufferedWrites,
  type Engine,
  type EngineSystem,
  type Entry,
  type KeyRange,
  type Reads,
  type Writes,
} from '@fair-bench/engine';

/**
 * Rows in the memory of one thread: what an operation costs without an engine. They are in a file while nobody has them open, so
 * that the load client finds what was seeded, and the audit what it left.
 */
export const memoryEngine: EngineSystem = {
  name: 'null',
  title: 'null',
  version: () => Promise.resolve('1'),
  open: (directory) => Promise.resolve(new MemoryEngine(join(directory, 'rows'))),
  isShared: false,
  durabilityOf: () => 'none',
  fairProfile: [],
};

class MemoryEngine implements Engine {
  readonly #path: string;
  readonly #rows: Map<Name, Uint8Array>;
  /** The keys in order; null after a key has come or gone. */
  #sorted: readonly string[] | null = null;
  #isWritten = false;

  constructor(path: string) {
    this.#path = path;
    this.#rows = existsSync(path) ? rowsIn(readFileSync(path)) : new Map();
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#rows.get(nameOf(key));
  }

  range({ from, until, reverse, limit }: KeyRange): Entry[] {
    const sorted = (this.#sorted ??= [...this.#rows.keys()].map(textOfName).sort());
    const [first, end] = [placeOf(sorted, textOf(from)), placeOf(sorted, textOf(until))];
    const keys = reverse
      ? sorted.slice(Math.max(first, end - limit), end).toReversed()
      : sorted.slice(first, Math.min(end, first + limit));
    return keys.flatMap((key): Entry[] => {
      const bytes = Buffer.from(key, 'latin1');
      const value = this.#rows.get(nameOf(bytes));
      return value === undefined ? [] : [[bytes, value]];
    });
  }

  #put(key: Uint8Array, value: Uint8Array): void {
    const before = this.#rows.size;
    this.#rows.set(nameOf(key), value);
    if (this.#rows.size > before) this.#sorted = null;
    this.#isWritten = true;
  }

  #remove(key: Uint8Array): void {
    if (this.#rows.delete(nameOf(key))) this.#sorted = null;
    this.#isWritten = true;
  }

  transact<Result>(act: (writes: Writes) => Result): Result {
    const writes = bufferedWrites(this);
    const result = act(writes);
    for (const change of writes.changes) {
      if (change.type === 'put') this.#put(change.key, change.value);
      else this.#remove(change.key);
    }
    return result;
  }

  atOneMoment<Result>(act: (reads: Reads) => Result): Result {
    return act(this);
  }

  settings(): Record<string, string> {
    return {};
  }

  close(): void {
    if (!this.#isWritten) return;
    const parts = [...this.#rows].flatMap(([name, value]) => {
      const key = Buffer.from(textOfName(name), 'latin1');
      return [lengths(key.length, value.length), key, value];
    });
    writeFileSync(`${this.#path}-new`, Buffer.concat(parts));
    renameSync(`${this.#path}-new`, this.#path);
  }
}

const lengthsBytes = 8;

function lengths(key: number, value: number): Buffer {
  const bytes = Buffer.alloc(lengthsBytes);
  bytes.writeUInt32BE(value, bytes.writeUInt32BE(key));
  return bytes;
}

function rowsIn(file: Buffer): Map<Name, Uint8Array> {
  const rows = new Map<Name, Uint8Array>();
  for (let at = 0; at < file.length;) {
    const keyEnd = at + lengthsBytes + file.readUInt32BE(at);
    const end = keyEnd + file.readUInt32BE(at + 4);
    rows.set(nameOf(file.subarray(at + lengthsBytes, keyEnd)), file.subarray(keyEnd, end));
    at = end;
  }
  return rows;
}

/** A key: a text of one byte a character; of the first table’s keys of four bytes their number, which is found without making a text. */
type Name = string | number;
const numberedBytes = 5;

function nameOf(key: Uint8Array): Name {
  if (key.length !== numberedBytes || key[0] !== 0) return textOf(key);
  return (((key[1] ?? 0) << 24) | ((key[2] ?? 0) << 16) | ((key[3] ?? 0) << 8) | (key[4] ?? 0)) >>> 0;
}

function textOfName(name: Name): string {
  if (typeof name === 'string') return name;
  const bytes = Buffer.alloc(numberedBytes);
  bytes.writeUInt32BE(name, 1);
  return textOf(bytes);
}

function textOf(key: Uint8Array): string {
  return Buffer.isBuffer(key) ? key.toString('latin1') : Buffer.from(key).toString('latin1');
}

/** The place of the first key that is at least this one. */
function placeOf(sorted: readonly string[], key: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
