import type { WorkCounters } from '@fair-bench/contract';
import type { SqlConnection } from '@fair-bench/sql';

/** A user without the privilege PROCESS: the audit then goes by the rows alone. */
const accessDenied = 1227;

/**
 * InnoDB takes an id for each transaction that writes, and another when it commits, so that half of the ids are commits,
 * exactly; `trx_rw_commits` was one short of 12,608. It flushes its log and its pages by one count.
 */
export async function countersOf(connection: SqlConnection): Promise<WorkCounters> {
  try {
    const [status] = await connection.query('SHOW ENGINE INNODB STATUS', []);
    const text = String(status?.[2]);
    const ids = numberIn(text, /^Trx id counter (\d+)/m);
    const flushes = numberIn(text, /^\d+ OS file reads, \d+ OS file writes, (\d+) OS fsyncs/m);
    return { commits: Math.floor(ids / 2), scans: await lookups(connection), flushes };
  } catch (error) {
    if (error instanceof Error && 'errno' in error && error.errno === accessDenied) return {};
    throw error;
  }
}

/**
 * Lookups of rows by an index: each statement that finds rows by a key, or takes the first or the last of them, makes
 * one at least. Of all connections, at once: https://mariadb.com/docs/server/ref/mdb/status-variables/Handler_read_key.
 */
async function lookups(connection: SqlConnection): Promise<number> {
  const rows = await connection.query(
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Handler_read_key', 'Handler_read_first', 'Handler_read_last')",
    [],
  );
  return rows.reduce((sum, [, value]) => sum + Number(value), 0);
}

function numberIn(status: string, pattern: RegExp): number {
  const [, digits] = pattern.exec(status) ?? [];
  if (digits === undefined) throw new Error(`MariaDB's status of InnoDB has no line like ${pattern.source}`);
  return Number(digits);
}
