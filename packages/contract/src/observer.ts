import type { ControlPlane, Row } from './data-plane.ts';
import type { StatementProtocol } from './facts.ts';

/**
 * A connection of the control plane that stays open while the load runs: it reads and replaces what is committed, and reads which
 * settings are in force, beside the sessions that do the timed work. Everything here is cheap enough for a few
 * readings per second.
 */
export interface Observer {
  /** The rows with one of the keys, as committed now; missing rows are left out. Null where nobody else can read meanwhile. */
  readonly read: ((table: number, keys: readonly Row[]) => Promise<readonly Row[]>) | null;
  /** Gives rows that are there other values, as `ControlPlane.replace` does; null where nobody else can write meanwhile. */
  readonly replace: ((table: number, rows: readonly Row[]) => Promise<void>) | null;
  /**
   * How many writing transactions the system has ended since some fixed moment: at least that many, never fewer, from
   * a source that does not lag. Other work of the system may be among them; the audit asks how much. Null where the system shows none.
   */
  readonly committed: (() => Promise<number>) | null;
  /** Whether transactions of operations that only read are among them; false where nothing is counted. */
  readonly committedHasReads: boolean;
  /**
   * The settings that durability depends on, and anything else that changes with them, by name: all must stay the
   * same while the load runs. Null where the system shows none.
   */
  readonly settings: (() => Promise<Readonly<Record<string, string>>>) | null;
  /**
   * Looks once for a commit that others could see before it was flushed; describes it, or null. A reading of settings cannot
   * find it: an operation may turn waiting off for itself. Null where the system does not show how far its log is flushed.
   */
  readonly unflushed: (() => Promise<string | null>) | null;
  /** Which transaction wrote a row last; null where the system does not show that. */
  readonly lastWriters: LastWriters | null;
  /**
   * Counts the calls since the observer was opened by protocol. The server samples them and says how each was sent. Null where
   * it does not.
   */
  readonly protocols: (() => Promise<Readonly<Record<StatementProtocol, number>>>) | null;
  /** Sends one statement that reads no table, as `SELECT 1`: what any operation waits for at least. Null where there is none. */
  readonly ping: (() => Promise<void>) | null;
  /** Looks once at who is connected to the database; null without a pooler, and where it is not visible. */
  readonly pooling: (() => Promise<PoolingLook>) | null;
  close(): Promise<void>;
}

/** The database's connections at one moment, each by the process that the kernel says has its other end. */
export interface PoolingLook {
  /** Connections of the target's pooler. */
  readonly pooled: number;
  /** Sessions of the target that do not come from its pooler, in words. */
  readonly beside: readonly string[];
}

/** Evidence of how much one transaction did. */
export interface LastWriters {
  /**
   * By table, the most rows whose last writer is one transaction or subtransaction. Counts only writers that began after the
   * observer was opened. Reads every row of the tables that operations write.
   */
  readonly rowsMost: () => Promise<readonly number[]>;
  /**
   * The most subtransactions that have written in one transaction that has not ended. Cheap. Null where rows do not name
   * subtransactions, or the system does not show how many there are.
   */
  readonly subtransactionsMost: (() => Promise<number>) | null;
}

/** An observer that only reads and replaces rows. */
export function rowObserver(tables: Pick<ControlPlane, 'read' | 'replace'>, signal: AbortSignal): Observer {
  const { replace } = tables;
  return {
    ...blindObserver,
    read: async (table, keys) => await tables.read(table, keys, signal),
    replace: replace === undefined ? null : async (table, rows) => await replace(table, rows, signal),
  };
}

/** Of a system that nobody can look at while the load runs. */
export const blindObserver: Observer = {
  ping: null,
  read: null,
  replace: null,
  committed: null,
  committedHasReads: false,
  settings: null,
  unflushed: null,
  lastWriters: null,
  protocols: null,
  pooling: null,
  close: () => Promise.resolve(),
};
