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
  const index = openSync(`${path}-shm`, 'r');
  const counter = Buffer.alloc(4);
  return {
    read: readerOf(database, shapes),
    committed() {
      readSync(index, counter, 0, counter.length, changeCounterAt);
      return Promise.resolve(endianness() === 'LE' ? counter.readUInt32LE() : counter.readUInt32BE());
    },
    committedHasReads: false,
    close() {
      closeSync(index);
      database.close();
      return Promise.resolve();
    },
  };
}
