import type { WorkCounters } from '@fair-bench/contract';
import { type FaultRules, openScoped } from '@fair-bench/session';
import type { DriverSystem, SettingsInForce } from '@fair-bench/supervisor';
import type { Cell, Dialect, SqlConnection } from './dialect.ts';

/** A system with SQL: what differs from others, and nothing else. */
export interface SqlSystem extends DriverSystem<SqlConnection> {
  readonly dialect: Dialect;
  /** A statement that returns the server's version. */
  readonly version: string;
  /** A statement that returns the settings in force in its session, as rows of name and value. */
  readonly settings: string;
  /** What its error codes mean for an operation that was sent. */
  readonly faults: FaultRules;
  /** A statement that lets the system settle after the seeding: CHECKPOINT. */
  readonly settle?: string;
  /**
   * What the server counts of its work; its `commits` must not lag. Empty where its user may not see it, absent where the
   * server counts nothing exactly.
   */
  readonly counters?: (connection: SqlConnection) => Promise<WorkCounters>;
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

/** The settings in force in a connection. */
export async function readSettings(connection: SqlConnection, statement: string): Promise<SettingsInForce> {
  const rows = await connection.query(statement, []);
  return Object.fromEntries(rows.map(([name, value]) => [cellText(name), cellText(value)]));
}

function cellText(cell: Cell | undefined): string {
  return cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell ?? '');
}
