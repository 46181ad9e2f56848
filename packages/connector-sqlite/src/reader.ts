import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import type { Observer, TableShape } from '@fair-bench/contract';
import { readerOf } from './tables.ts';

/**
 * The place of the transaction counter in the header of the log's index:
 * https://www.sqlite.org/walformat.html#the_wal_index_header
 */
const changeCounterAt = 8;
const busyMsMax = 1_000;

/** A read-only connection, and the count of committed transactions, which all connections share. */
export function openReader(
  path: string,
  shapes: readonly TableShape[],
): Pick<Observer, 'read' | 'committed' | 'committedHasReads' | 'close'> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyMsMax });
  const counter = changeCounterOf(path);
  return {
    read: readerOf(database, shapes),
    committed: () => Promise.resolve(counter.read()),
    committedHasReads: false,
    close() {
      counter.close();
      database.close();
      return Promise.resolve();
    },
  };
}

/** How many transactions all connections have committed; one of them is open, in WAL mode. */
export function changeCounterOf(path: string): { readonly read: () => number; readonly close: () => void } {
  const index = openSync(`${path}-shm`, 'r');
  const counter = Buffer.alloc(4);
  return {
    read() {
      readSync(index, counter, 0, counter.length, changeCounterAt);
      return endianness() === 'LE' ? counter.readUInt32LE() : counter.readUInt32BE();
    },
    close: () => closeSync(index),
  };
}
