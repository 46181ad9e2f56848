import { type NativeEngineSystem, nativeEngineRoute } from '@fair-bench/native-engine';

const heed: NativeEngineSystem = {
  engine: 'lmdb',
  title: 'LMDB',
  // http://www.lmdb.tech/doc/group__mdb.html#ga32a193c6bf4d7d5c5d579e71f22e9340: a commit is flushed, except with these.
  durabilityOf: ({ noSync, overlappingSync }) =>
    noSync === 'false' && overlappingSync === 'false' ? 'durable' : 'async',
  fairProfile: [
    {
      setting: 'noSync',
      accepted: ['false'],
      acceptedAsync: ['true'],
      reason: 'MDB_NOSYNC acknowledges a commit before it is on disk',
    },
  ],
  scans: true,
  sharesFlushes: false,
};

export const route = nativeEngineRoute(heed);
