import type { FairSetting } from '@fair-bench/contract';
import { poolers, poolerSetting } from './poolers/start.ts';

/** The settings that fair mode needs of PostgreSQL, with the reasons. */
export const fairProfile: readonly FairSetting[] = [
  {
    setting: 'fsync',
    accepted: ['on'],
    reason: 'without it an acknowledged commit may not survive a power cut',
  },
  {
    setting: 'synchronous_commit',
    accepted: ['on'],
    acceptedAsync: ['off'],
    reason: 'the default; off acknowledges before the log is flushed',
  },
  {
    setting: 'full_page_writes',
    accepted: ['on'],
    reason: 'the default; off risks torn pages after a power cut',
  },
  {
    setting: 'transaction_isolation',
    accepted: ['read committed'],
    reason: 'the default, and sufficient for operations that lock the rows they change, as the audit shows',
  },
  ...poolers.flatMap(({ name, profile }) =>
    profile.flatMap(({ setting, accepted, reason }) =>
      accepted === undefined
        ? []
        : [
            {
              setting: `${name}.${setting}`,
              accepted: [...accepted],
              when: { setting: poolerSetting, is: [name] },
              reason,
            },
          ],
    ),
  ),
];
