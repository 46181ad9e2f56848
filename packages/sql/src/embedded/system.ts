import type { Facts, TargetOptions } from '@fair-bench/contract';
import type { SqlConnection } from '../dialect.ts';
import type { SqlSystem } from '../system.ts';

type Shared =
  | 'name'
  | 'family'
  | 'title'
  | 'dialect'
  | 'version'
  | 'settings'
  | 'durabilityOf'
  | 'isolationOf'
  | 'fairProfile'
  | 'faults'
  | 'settle';

/** An engine with SQL that runs in one process, which alone owns its files: our RPC server. */
export interface EmbeddedSql extends Pick<SqlSystem, Shared> {
  /**
   * Opens the database in a directory, which exists; after a kill the same again. Import the engine here, so that only
   * the server's process loads it.
   */
  open(directory: string, durability: TargetOptions['durability']): Promise<EmbeddedDatabase>;
  /** Imports the engine, which rejects where its package has no binaries for this platform; asked before anything starts. */
  readonly load?: () => Promise<unknown>;
  /** The most connections that the database has at the same time; absent where that is not limited. */
  readonly connectionsMax?: 1;
  /** Attempts of the RPC server beyond the first after a conflict: more than its default where the engine never waits for another's row. */
  readonly retriesMax?: number;
  /** The most commits that one flush of its log covers: 1 where each commit flushes by itself. */
  readonly writersMax: number | 'connections';
  /** Where no setting says when a commit is durable: our own request, and no fact. */
  readonly durabilityBasis?: Facts['durabilityBasis'];
}

/** An open database. */
export interface EmbeddedDatabase {
  /** Another connection; it ends in no transaction. */
  connect(): Promise<SqlConnection>;
  close(): Promise<void> | void;
}

/** The server's own settings. */
export type EmbeddedServerSettings = {
  readonly directory: string;
  readonly durability: TargetOptions['durability'];
};

/** The name of the version among the settings that the server reports. */
export const versionSetting = 'version';
