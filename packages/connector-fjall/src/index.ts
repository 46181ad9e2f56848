import { nativeEngineConnector } from '@fair-bench/native-engine';

export default nativeEngineConnector({
  engine: 'fjall',
  title: 'fjall',
  // https://docs.rs/fjall/3.1.13/fjall/enum.PersistMode.html: only SyncData and SyncAll wait for the disk.
  durabilityOf: ({ persist_mode: persist }) => (persist === 'sync all' ? 'durable' : 'async'),
  fairProfile: [
    {
      setting: 'persist_mode',
      accepted: ['sync all'],
      acceptedAsync: ['buffer'],
      reason: 'a commit persisted to a buffer is in the memory of the operating system',
    },
  ],
  sharesFlushes: false,
  scans: true,
});
