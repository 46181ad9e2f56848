import type { FaultRules } from '@fair-bench/session';
import type { DriverSystem, SettingsInForce } from '@fair-bench/supervisor';
import type { Program } from './program.ts';
import type { StoredRow } from './stored-rows.ts';

/** A key-value server: what differs from others, and nothing else. */
export interface KeyValueSystem extends DriverSystem<KeyValueConnection> {
  /** What its error codes mean for an operation that was sent. */
  readonly faults: FaultRules;
}

/** One connection by a system's driver. Every method rejects with the driver's error. */
export interface KeyValueConnection {
  /** False once it is lost, or was ended. */
  readonly usable: boolean;
  /** Prepares the server for `run`: loads the script. Called once for each server, on a connection of the control plane. */
  install(): Promise<void>;
  /**
   * Carries out a program at once, alone and as a whole, inside the server: `done`, the number of the reason that
   * declined it, or the rows that it reads, each as its key and its fields.
   */
  run(program: Program): Promise<number | readonly (readonly string[])[]>;
  /** How many programs the server has run since some fixed moment, by its own count; null where it counts none. */
  readonly executed: (() => Promise<number>) | null;
  /** Its version, as `version`, and the settings in force. */
  settings(): Promise<SettingsInForce>;
  put(rows: readonly StoredRow[]): Promise<void>;
  /** The fields of each key, in the order of the keys; null for a missing one. */
  get(keys: readonly string[], fields: readonly string[]): Promise<readonly (readonly string[] | null)[]>;
  /** Every key with this prefix, in pages; a key may come again. */
  keys(prefix: string): AsyncIterable<readonly string[]>;
  remove(keys: readonly string[]): Promise<void>;
  /** Ends it without waiting for replies; no handle is left then. */
  end(): Promise<void> | void;
}
