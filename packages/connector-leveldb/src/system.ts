import {
  bufferedWrites,
  type Engine,
  type EngineSystem,
  type Entry,
  type KeyRange,
  type OpenOptions,
  versionOfPackage,
} from '@fair-bench/engine';

export const system: EngineSystem = {
  name: 'leveldb',
  title: 'LevelDB',
  async version() {
    await import('classic-level');
    return `classic-level ${versionOfPackage('classic-level', import.meta.url)}`;
  },
  open: openDatabase,
  // Its default of 8 MB is for small devices; the system's page cache is behind it.
  cacheMb: 64,
  // It locks its directory: https://github.com/google/leveldb/blob/main/doc/index.md#concurrency
  isShared: false,
  // https://github.com/google/leveldb/blob/main/doc/index.md#synchronous-writes
  durabilityOf: ({ sync }) => (sync === 'true' ? 'durable' : 'async'),
  fairProfile: [
    {
      setting: 'sync',
      accepted: ['true'],
      acceptedAsync: ['false'],
      reason: 'without it a write is acknowledged when the operating system has it, before it is on disk',
    },
  ],
};

async function openDatabase(directory: string, { durability, cacheMb }: OpenOptions): Promise<Engine> {
  const sync = durability === 'durable';
  const { ClassicLevel } = await import('classic-level');
  const database = new ClassicLevel<Uint8Array, Uint8Array>(directory, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    cacheSize: cacheMb * 2 ** 20,
  });
  await database.open();
  const rangeOf = async ({ from, until, reverse, limit }: KeyRange, options = {}): Promise<Entry[]> =>
    await database.iterator({ gte: from, lt: until, reverse, limit, ...options }).all();
  const compact = async (): Promise<void> =>
    await database.compactRange(new Uint8Array(), new Uint8Array([255]));
  let last: Promise<unknown> = Promise.resolve();
  return {
    get: (key) => database.getSync(key),
    range: rangeOf,
    // It has no transactions: a write of several keys is one batch, and one operation after the other reads and writes.
    transact(act) {
      const turn = last.then(async () => {
        const writes = bufferedWrites({ get: (key) => database.getSync(key), range: rangeOf });
        const result = await act(writes);
        if (writes.changes.length > 0) await database.batch([...writes.changes], { sync });
        return result;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    async atOneMoment(act) {
      const snapshot = database.snapshot();
      try {
        return await act({
          get: (key) => database.getSync(key, { snapshot }),
          range: async (range) => await rangeOf(range, { snapshot }),
        });
      } finally {
        await snapshot.close();
      }
    },
    settle: compact,
    compact,
    settings: () => ({}),
    requested: { sync: String(sync), cacheSize: String(cacheMb * 2 ** 20) },
    close: async () => await database.close(),
  };
}
