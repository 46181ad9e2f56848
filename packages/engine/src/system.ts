import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { Durability, FairSetting, TargetOptions } from '@fair-bench/contract';
import { z } from 'zod';

/** Settings of an engine, under its own names. */
export type Settings = Readonly<Record<string, string>>;

/** A storage engine inside a load client, in whichever language. */
export interface InClientSystem {
  readonly title: string;
  /** When a commit is acknowledged, as the settings say; with the manual's page that says so. */
  durabilityOf(settings: Settings): Durability;
  /** The settings, by their names, that make this engine durable and comparable. */
  readonly fairProfile: readonly FairSetting[];
}

/** A storage engine that runs inside the Node load client: what differs from others, and nothing else. */
export interface EngineSystem extends InClientSystem {
  /** As in the manifest. */
  readonly name: string;
  /** Imports the engine and resolves with its version; rejects where there is no binary for this platform. */
  version(): Promise<string>;
  /** Opens the engine in a directory: a new one, or the same again. */
  open(directory: string, options: OpenOptions): Promise<Engine>;
  /** Its own cache in MiB, unless the setting `cacheMb` says another; absent where it has none. */
  readonly cacheMb?: number;
  /** Whether several threads and processes may have one directory open; otherwise one thread has it, and nobody looks meanwhile. */
  readonly isShared: boolean;
}

/** How an engine is opened; `cacheMb` is 0 for one without a cache of its own. */
export interface OpenOptions extends Pick<TargetOptions, 'durability'> {
  readonly cacheMb: number;
}

/** As its target's settings say. Throws for a setting that it does not have. */
export function openOptionsOf(
  { cacheMb: own }: Pick<EngineSystem, 'cacheMb'>,
  { durability, extra }: Pick<TargetOptions, 'durability' | 'extra'>,
): OpenOptions {
  if (own === undefined) return { durability, cacheMb: 0, ...z.strictObject({}).parse(extra) };
  const { cacheMb } = z.strictObject({ cacheMb: z.coerce.number().int().min(1).default(own) }).parse(extra);
  return { durability, cacheMb };
}

/** The rows whose keys are at least `from` and less than `until`, at most `limit`, in order or, with `reverse`, against it. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly until: Uint8Array;
  readonly reverse: boolean;
  readonly limit: number;
}

export type Entry = readonly [key: Uint8Array, value: Uint8Array];

/** Keys are in the order of their bytes. */
export interface Reads {
  /** Its bytes are valid until the next call. */
  get(key: Uint8Array): Uint8Array | undefined;
  range(range: KeyRange): readonly Entry[] | Promise<readonly Entry[]>;
}

/** The bytes belong to the engine from then on. */
export interface Writes extends Reads {
  put(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): void;
}

/** An open engine in one thread. Its own reads are the newest. */
export interface Engine extends Reads {
  /**
   * One serializable transaction that nothing else shares. It returns, or resolves, when the engine has acknowledged the
   * commit, and writes nothing if `act` throws. `act` resolves later only where `range` does.
   */
  transact<Result>(act: (writes: Writes) => Result | Promise<Result>): Result | Promise<Result>;
  /** Reads that all see one moment, the newest. */
  atOneMoment<Result>(act: (reads: Reads) => Result | Promise<Result>): Result | Promise<Result>;
  /** Moves what is left to do of earlier writes out of the way of a trial. */
  settle?(): void | Promise<void>;
  /** Compacts its files, or writes a compact copy into an empty directory; absent where the engine has no compaction. */
  compact?(into: string): void | Promise<void>;
  /** What the engine says that is in force. */
  settings(): Settings;
  /** What it was opened with, and does not say. */
  readonly requested?: Settings;
  /** How many writing transactions have been committed since some fixed moment, by whomever; absent where it counts none. */
  readonly committed?: () => number;
  close(): void | Promise<void>;
}

/** The version of an engine's package, as a module of a connector imports it. */
export function versionOfPackage(name: string, importer: string): string {
  const path = findPackageJSON(name, importer);
  if (path === undefined) throw new Error(`the package ${name} is not installed`);
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path, 'utf8'))).version;
}
