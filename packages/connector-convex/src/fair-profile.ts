import type { FairSetting } from '@fair-bench/contract';

/** What fair mode asks of a Convex deployment, with the reasons. */
export const fairProfile: readonly FairSetting[] = [
  {
    setting: 'storage_source',
    accepted: ['read'],
    reason: 'durability follows from what it stores in, and what is only declared was not seen',
  },
];
