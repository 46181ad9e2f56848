import type { Launch, ServerPlace } from '@fair-bench/supervisor';

/** Where the server is, and as whom its database is opened. */
export interface ServerAccess {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** The names and passwords of a pooler that runs before one target's server. */
interface PoolerAccess {
  /** The database's name for the pooler's clients. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** What a pooler is started with. */
export interface PoolerOptions extends PoolerAccess {
  readonly server: ServerAccess;
  readonly version: string | null;
  readonly poolSize: number;
  readonly clientsMax: number;
  /** Threads; null for as many as it ships with. */
  readonly workers: number | null;
  /** Settings of the database's sessions, where the pooler's clients cannot set them when they connect. */
  readonly sessionSettings: Readonly<Record<string, string>>;
}

/** A pooler for PostgreSQL: how it is found and started, and how its console is read. */
export interface PoolerSystem {
  /** As in the manifest and, in capitals, in the variable that names its program. */
  readonly name: string;
  readonly title: string;
  /** How to get its program, for an error. */
  readonly remedy: string;
  /** For a program that refuses root. */
  readonly users?: readonly string[];
  /** The first version that keeps a client's named prepared statements when it gives it another connection; null: each does. */
  readonly preparedSince: readonly [major: number, minor: number] | null;
  /** Whether it can have several threads. */
  readonly hasWorkers: boolean;
  /** Whether clients may set parameters when they connect, by `options`; it then takes a value as it is, with its spaces. */
  readonly takesOptions: boolean;
  /** The console's database. */
  readonly console: string;
  launch(program: string, place: ServerPlace, options: PoolerOptions): Promise<Launch>;
  /** Settings of `SHOW CONFIG` that are read as facts, with the reason where the fair profile accepts only some values. */
  readonly profile: readonly {
    readonly setting: string;
    readonly accepted?: readonly [string, ...string[]];
    readonly reason: string;
  }[];
}
