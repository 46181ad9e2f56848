import type { TargetWorkload, WorkCounters } from '@fair-bench/contract';
import { type FaultRules, openScoped } from '@fair-bench/session';
import type { ConnectionLimit, DriverSystem, SettingsInForce } from '@fair-bench/supervisor';
import type { Cell, CellRow, Dialect, SqlConnection } from './dialect.ts';
import type { SetupDialect } from './setup.ts';

/** Runs a statement without parameters. */
export type RunText = (text: string) => Promise<readonly CellRow[]>;

/** The settings in force in a session: by a statement with rows of name and value, or by several statements. */
export type SettingsOf = string | ((run: RunText) => Promise<SettingsInForce>);

/** A system with SQL: what differs from others, and nothing else. */
export interface SqlSystem extends DriverSystem<SqlConnection> {
  readonly dialect: Dialect;
  /** A statement that returns the server's version. */
  readonly version: string;
  readonly settings: SettingsOf;
  /** The family whose bindings it takes where a workload has none of its own: `mysql` for `mariadb`. */
  readonly family?: string;
  /** A statement that lets a session of the control plane take its time, whatever limit its user has. */
  readonly unlimited?: string;
  /** How it makes the tables of a file of the user's; absent where it makes none. */
  readonly setup?: {
    readonly dialect: () => SetupDialect;
    /** A statement that lets a session empty tables to which others refer, and write times as UTC's. */
    readonly sessions: string;
  };
  /** How many more connections the user may open; null where the server does not say. */
  readonly connectionLimit?: (connection: SqlConnection) => Promise<ConnectionLimit | null>;
  /** What its error codes mean for an operation that was sent. */
  readonly faults: FaultRules;
  /** A statement that lets the system settle after the seeding: CHECKPOINT. */
  readonly settle?: string;
  /**
   * What the server counts of its work; its `commits` must not lag. Empty where its user may not see it, absent where the
   * server counts nothing exactly; without `commits` where it does not count those of such a workload exactly.
   */
  readonly counters?: (
    connection: SqlConnection,
    workload: Pick<TargetWorkload, 'mayOnlyInsert'>,
  ) => Promise<WorkCounters>;
}

/** A connection of the control plane: it ends with its scope, and when `signal` aborts. */
export async function openSql(
  { connect }: Pick<SqlSystem, 'connect'>,
  url: string,
  signal: AbortSignal,
): Promise<SqlConnection & AsyncDisposable> {
  return await openScoped(async () => await connect(url), signal);
}

/** The first cell of a statement's first row, as text. */
export async function textOf(connection: SqlConnection, statement: string): Promise<string> {
  const [row] = await connection.query(statement, []);
  return cellText(row?.[0]);
}

/** The settings in force in the session of `run`. */
export async function readSettings(run: RunText, settings: SettingsOf): Promise<SettingsInForce> {
  if (typeof settings !== 'string') return await settings(run);
  return Object.fromEntries((await run(settings)).map(([name, value]) => [cellText(name), cellText(value)]));
}

/** The files of a workload that bind it to a system, the preferred one first; `ending`: `.sql`, `-drizzle.ts`. */
export function bindingFiles(
  { name, family }: Pick<SqlSystem, 'name' | 'family'>,
  ending: string,
): readonly string[] {
  return [...new Set([name, family ?? name])].map((stem) => `${stem}${ending}`);
}

function cellText(cell: Cell | undefined): string {
  return cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell ?? '');
}
