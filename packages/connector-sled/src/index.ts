import { nativeEngineConnector } from '@fair-bench/native-engine';

export default nativeEngineConnector({
  engine: 'sled',
  title: 'sled',
  // On Linux its flush calls sync_file_range (src/pagecache/iobuf.rs of 0.34.7), which flushes no device: a commit is durable later.
  durabilityOf: () => 'async',
  fairProfile: [
    {
      setting: 'flush',
      accepted: ['each transaction'],
      acceptedAsync: ['every 500 ms'],
      reason: 'sled acknowledges a write before it is on disk, unless the transaction flushes',
    },
  ],
  sharesFlushes: true,
  scans: false,
});
