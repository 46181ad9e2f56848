import type { Durability, FairSetting } from '@fair-bench/contract';

/** What a fair run needs, however SQLite is reached. */
export const fairProfile: readonly FairSetting[] = [
  {
    setting: 'journal_mode',
    accepted: ['wal'],
    reason: 'SQLite recommends the write-ahead log for a server; other modes write pages twice',
  },
  {
    setting: 'synchronous',
    accepted: ['full', 'extra'],
    // OFF would also survive a crash of the process, but a power cut may corrupt the file.
    acceptedAsync: ['normal'],
    reason: 'in WAL mode anything below FULL acknowledges commits before their fsync',
  },
  {
    setting: 'read_uncommitted',
    accepted: ['0'],
    reason: 'transactions are serializable only without it',
  },
];

/**
 * When a commit is on disk, by https://www.sqlite.org/pragma.html#pragma_synchronous: FULL and EXTRA
 * sync the log at every commit; NORMAL does so in WAL mode only at checkpoints.
 */
export function durabilityOf(pragmas: Readonly<Record<string, string>>): Durability {
  const { journal_mode: journal = '', synchronous = '' } = pragmas;
  if (['off', 'memory'].includes(journal) || !['normal', 'full', 'extra'].includes(synchronous))
    return 'none';
  return synchronous === 'normal' ? 'async' : 'durable';
}
