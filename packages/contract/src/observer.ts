import type { ControlPlane, Row } from './data-plane.ts';

/**
 * A connection of the control plane that stays open while the load runs: it sees what is committed and which settings are
 * in force, beside the sessions that do the timed work. Everything here is cheap enough for a few readings a second.
 */
export interface Observer {
  /** The rows that have one of the keys, as committed now; missing rows are left out. */
  read(table: number, keys: readonly Row[]): Promise<readonly Row[]>;
  /**
   * How many transactions that write the system has ended since any fixed moment, or more, and never fewer: read from what
   * does not lag. Null where the system shows no such thing.
   */
  readonly committed: (() => Promise<number>) | null;
  /**
   * The settings that durability rests on, and whatever changes when settings are changed, by name: all must stay as they are
   * while the load runs. Null where the system shows none.
   */
  readonly settings: (() => Promise<Readonly<Record<string, string>>>) | null;
  close(): Promise<void>;
}

/** An observer that reads rows and sees nothing else. */
export function rowObserver(tables: Pick<ControlPlane, 'read'>, signal: AbortSignal): Observer {
  return {
    read: async (table, keys) => await tables.read(table, keys, signal),
    committed: null,
    settings: null,
    close: () => Promise.resolve(),
  };
}
