import { availableParallelism, totalmem } from 'node:os';

/** What a setting's value may depend on. */
export interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** One setting of a tuning profile with its reason. docs/tuning-and-ceilings.md has its measured effect. */
export interface TunedSetting {
  /** PostgreSQL's name, as facts show it. */
  readonly name: string;
  /** As `current_setting` gives it back. */
  readonly value: (machine: Machine) => string;
  readonly reason: string;
  /** A setting that this one needs: one is left out with the other. */
  readonly needs?: string;
}

const mebibyte = 2 ** 20;

/** Settings of the server. fsync, full_page_writes and synchronous_commit are excluded: they are durability. */
export const tunedServerSettings: readonly TunedSetting[] = [
  {
    name: 'shared_buffers',
    value: ({ memoryBytes }) => memorySetting(Math.min(8192, memoryBytes / mebibyte / 4)),
    reason: 'a quarter of the memory, as the manual advises, and no more than the dataset could ever fill',
  },
  {
    name: 'huge_pages',
    value: () => 'try',
    reason:
      'fewer entries of the page table for the shared buffers, where the system has huge pages reserved',
  },
  {
    name: 'wal_level',
    value: () => 'minimal',
    reason: 'nobody replicates from this server, so its log only needs what crash recovery needs',
    needs: 'max_wal_senders',
  },
  { name: 'max_wal_senders', value: () => '0', reason: 'wal_level minimal needs it' },
  {
    name: 'wal_buffers',
    value: () => '64MB',
    reason: 'no session writes the log because its buffer is full while another flushes',
  },
  {
    name: 'max_wal_size',
    value: () => '16GB',
    reason:
      'no checkpoint by volume within a run: after each one, every page’s first change logs its full image',
  },
  { name: 'checkpoint_timeout', value: () => '30min', reason: 'no checkpoint by time within a run' },
  {
    name: 'checkpoint_completion_target',
    value: () => '0.9',
    reason: 'a checkpoint is spread over time; the default, stated explicitly',
  },
  {
    name: 'commit_delay',
    value: () => '0',
    reason: 'a delay lets more commits share a flush, but keeps the locks of a hot row as long; the default',
  },
  {
    name: 'bgwriter_lru_maxpages',
    value: () => '0',
    reason: 'the dataset fits into the shared buffers, so nothing has to be written to make room',
  },
  {
    name: 'autovacuum_naptime',
    value: () => '5min',
    reason:
      'versions of rows are pruned within their pages (HOT); a vacuum of the hot table would take a core',
  },
  { name: 'jit', value: () => 'off', reason: 'no plan of a lookup by key is worth compiling' },
  {
    name: 'plan_cache_mode',
    value: () => 'force_generic_plan',
    reason: 'the plan by primary key does not depend on the parameters',
  },
  {
    name: 'track_activities',
    value: () => 'off',
    reason: 'sessions do not report what they run, which happens twice per statement',
  },
  { name: 'update_process_title', value: () => 'off', reason: 'sessions do not rewrite their titles for ps' },
];

/** Storage parameters of the written tables. */
export const tunedTableSettings: readonly TunedSetting[] = [
  {
    name: 'fillfactor',
    value: () => '50',
    reason: 'room in each page for new versions of its rows, so that no update touches the index (HOT)',
  },
];

/** The machine that this runs on. */
export function thisMachine(): Machine {
  return { cores: availableParallelism(), memoryBytes: totalmem() };
}

/** In the largest unit that gives a whole number, as PostgreSQL shows it; above one gibibyte, in whole ones. */
function memorySetting(mebibytes: number): string {
  return mebibytes >= 1024 ? `${Math.floor(mebibytes / 1024)}GB` : `${Math.floor(mebibytes)}MB`;
}
