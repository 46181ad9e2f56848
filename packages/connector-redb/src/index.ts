import { nativeEngineConnector } from '@fair-bench/native-engine';

export default nativeEngineConnector({
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
});
