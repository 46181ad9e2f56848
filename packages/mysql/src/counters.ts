import type { TargetWorkload, WorkCounters } from '@fair-bench/contract';
import type { SqlConnection } from '@fair-bench/sql';
import { isOf } from './faults.ts';

/**
 * A user without the privilege PROCESS, and servers of another engine, which do not know the statement: the audit then goes by
 * the rows alone.
 */
const notHere = [1064, 1105, 1227, 1235, 1286];
/** No such privilege, database or table. */
const notVisible = [1044, 1049, 1142, 1146];

/**
 * InnoDB takes an id for each transaction that writes, and another when it commits, so that half of the ids are commits,
 * exactly; `trx_rw_commits` was one short of 12,608. MySQL's takes no second one for a transaction that only inserts, so that commits of
 * a workload with such ones are not counted. It flushes its log and its pages by one count.
 */
export async function countersOf(
  connection: SqlConnection,
  { mayOnlyInsert }: Pick<TargetWorkload, 'mayOnlyInsert'>,
): Promise<WorkCounters> {
  try {
    const [status] = await connection.query('SHOW ENGINE INNODB STATUS', []);
    const text = String(status?.[2]);
    const ids = numberIn(text, /^Trx id counter (\d+)/m);
    const flushes = numberIn(text, /^\d+ OS file reads, \d+ OS file writes, (\d+) OS fsyncs/m);
    const variables = await variablesOf(connection);
    const through = await writesThrough(connection, variables);
    const own =
      mayOnlyInsert && !isOfTwoIdsAlways(variables) ? null : await ownTransactions(connection, variables);
    return {
      ...(own === null ? {} : { commits: Math.floor((ids - own) / 2) }),
      scans: await lookups(connection),
      ...(through === null ? {} : { flushes: flushes + through }),
    };
  } catch (error) {
    if (isOf(error, notHere)) return {};
    throw error;
  }
}

type Variables = ReadonlyMap<string, string>;

/** Those that say how the counts are to be read. */
async function variablesOf(connection: SqlConnection): Promise<Variables> {
  const rows = await connection.query(
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('gtid_mode', 'innodb_flush_method', 'innodb_log_file_write_through')",
    [],
  );
  return new Map(rows.map(([name, value]) => [String(name), String(value)]));
}

/** Whether a transaction that only inserts takes two ids too: with MariaDB's InnoDB since 10.3, which has one undo log for all; it has no GTID mode. */
function isOfTwoIdsAlways(variables: Variables): boolean {
  return !variables.has('gtid_mode');
}

/**
 * Ids that the server's own threads took: of MySQL's with GTIDs, one a moment saves which of them were committed, and takes one id
 * for each transaction. 0 where none does; null where the user may not see it.
 */
async function ownTransactions(connection: SqlConnection, variables: Variables): Promise<number | null> {
  if ((variables.get('gtid_mode') ?? 'OFF') === 'OFF') return 0;
  try {
    const [sum] = await connection.query(
      'SELECT sum(count_star) FROM performance_schema.events_transactions_summary_by_account_by_event_name WHERE user IS NULL',
      [],
    );
    return typeof sum?.[0] === 'number' || typeof sum?.[0] === 'string' ? Number(sum[0]) : null;
  } catch (error) {
    if (isOf(error, notVisible)) return null;
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
async function writesThrough(connection: SqlConnection, variables: Variables): Promise<number | null> {
  const isThrough =
    variables.get('innodb_flush_method') === 'O_DSYNC' ||
    variables.get('innodb_log_file_write_through') === 'ON';
  if (!isThrough) return 0;
  const [writes] = await connection.query("SHOW GLOBAL STATUS WHERE Variable_name = 'Innodb_log_writes'", []);
  return writes === undefined ? null : Number(writes[1]);
}

function numberIn(status: string, pattern: RegExp): number {
  const [, digits] = pattern.exec(status) ?? [];
  if (digits === undefined) throw new Error(`the status of InnoDB has no line like ${pattern.source}`);
  return Number(digits);
}
