import { nativeEngineConnector } from '@fair-bench/native-engine';

export default nativeEngineConnector({
  engine: 'rocksdb',
  title: 'RocksDB',
  // https://github.com/facebook/rocksdb/wiki/Basic-Operations#synchronous-writes: without sync a write is in the system's memory.
  durabilityOf: ({ sync }) => (sync === 'true' ? 'durable' : 'async'),
  fairProfile: [
    {
      setting: 'sync',
      accepted: ['true'],
      acceptedAsync: ['false'],
      reason: 'a commit without sync is in the memory of the operating system',
    },
    {
      setting: 'manual_wal_flush',
      accepted: ['false'],
      reason: 'otherwise a commit can stay in the memory of the process',
    },
    {
      setting: 'compression',
      accepted: ['kNoCompression'],
      reason: 'no other engine in Rust compresses here: bytes on the disk are comparable',
    },
  ],
  sharesFlushes: true,
  scans: true,
});
