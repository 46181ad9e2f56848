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
    const through = await writesThrough(connection);
    return {
      commits: Math.floor(ids / 2),
      scans: await lookups(connection),
      ...(through === null ? {} : { flushes: flushes + through }),
    };
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

/**
 * Writes of a log that is opened with O_DSYNC, each of which is a flush that InnoDB does not count as one; null where they are
 * not counted. By https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables.
 */
async function writesThrough(connection: SqlConnection): Promise<number | null> {
  const settings = await connection.query(
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_method', 'innodb_log_file_write_through')",
    [],
  );
  if (!settings.some(([, value]) => value === 'O_DSYNC' || value === 'ON')) return 0;
  const [writes] = await connection.query("SHOW GLOBAL STATUS WHERE Variable_name = 'Innodb_log_writes'", []);
  return writes === undefined ? null : Number(writes[1]);
}

function numberIn(status: string, pattern: RegExp): number {
  const [, digits] = pattern.exec(status) ?? [];
  if (digits === undefined) throw new Error(`MariaDB's status of InnoDB has no line like ${pattern.source}`);
  return Number(digits);
}
