import {
  type Engine,
  type EngineSystem,
  type Entry,
  type Writes,
  versionOfPackage,
} from '@fair-bench/engine';
import { z } from 'zod';

/** What its types leave out. */
const moduleSchema = z.object({ version: z.object({ major: z.int(), minor: z.int(), patch: z.int() }) });
const statsSchema = z.object({ lastTxnId: z.number() });

export const system: EngineSystem = {
  name: 'lmdb',
  title: 'LMDB',
  async version() {
    const { major, minor, patch } = moduleSchema.parse(await import('lmdb')).version;
    return `${major}.${minor}.${patch} in lmdb ${versionOfPackage('lmdb', import.meta.url)}`;
  },
  open: async (directory, { durability }) => await openEnvironment(directory, durability === 'async'),
  isShared: true,
  durabilityOf: ({ noSync, overlappingSync }) =>
    noSync === 'false' && overlappingSync === 'false' ? 'durable' : 'async',
  fairProfile: [
    {
      setting: 'noSync',
      accepted: ['false'],
      acceptedAsync: ['true'],
      // http://www.lmdb.tech/doc/group__mdb.html#ga32a193c6bf4d7d5c5d579e71f22e9340
      reason:
        'MDB_NOSYNC acknowledges a commit before it is on disk; without MDB_WRITEMAP it loses only the last ones where the file system keeps the order of writes',
    },
    {
      setting: 'overlappingSync',
      accepted: ['false'],
      // https://github.com/kriszyp/lmdb-js#overlapping-sync-options
      reason: 'the package ships with it on: a commit is then acknowledged and visible before its flush',
    },
  ],
};

async function openEnvironment(path: string, noSync: boolean): Promise<Engine> {
  const { open } = await import('lmdb');
  const database = open<Uint8Array, Uint8Array>({
    path,
    keyEncoding: 'binary',
    encoding: 'binary',
    // Address space, of which the file has what is used: without a size the map grows, and each growth waits for all readers.
    mapSize: 2 ** 36,
    noSync,
    overlappingSync: false,
  });
  const inside: Writes = {
    get: (key) => database.getBinaryFast(key),
    range({ from, until, reverse, limit }): Entry[] {
      const bounds = reverse
        ? { start: until, end: from, exclusiveStart: true, inclusiveEnd: true }
        : { start: from, end: until };
      const found = database.getRange({ ...bounds, reverse, limit });
      return [...found].map(({ key, value }): Entry => [key, value]);
    },
    put: (key, value) => database.putSync(key, value),
    remove: (key) => void database.removeSync(key),
  };
  // The package keeps one reading transaction for a turn of the event loop: another thread may have written since.
  const newest = <Result>(read: () => Result): Result => {
    database.resetReadTxn();
    return read();
  };
  return {
    get: (key) => newest(() => inside.get(key)),
    range: (range) => newest(() => inside.range(range)),
    transact: (act) => database.transactionSync(() => act(inside)),
    atOneMoment: (act) => newest(() => act(inside)),
    // It has none in place: free pages stay in its file.
    compact: async (into) => await database.backup(into, true),
    settings: () => ({}),
    requested: { noSync: String(noSync), overlappingSync: 'false' },
    committed: () => statsSchema.parse(database.getStats()).lastTxnId,
    close: async () => await database.close(),
  };
}
