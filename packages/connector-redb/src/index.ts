import { defineConnector } from '@fair-bench/contract';
import { type NativeEngineSystem, nativeEngineRoute } from '@fair-bench/native-engine';

const redb: NativeEngineSystem = {
  engine: 'redb',
  title: 'redb',
  // https://docs.rs/redb/4.6.0/redb/enum.Durability.html: only an immediate commit is persistent when it returns.
  durabilityOf: ({ durability }) => (durability === 'immediate' ? 'durable' : 'async'),
  fairProfile: [
    {
      setting: 'durability',
      accepted: ['immediate'],
      acceptedAsync: ['none'],
      reason: 'a commit of durability none is on disk only after a later immediate one',
    },
  ],
  sharesFlushes: false,
  scans: true,
};

export default defineConnector({
  system: 'redb',
  fairProfile: redb.fairProfile,
  routes: { embedded: nativeEngineRoute(redb) },
});
