import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { hasCode, type WorkCounters, ourSchema } from '@fair-bench/contract';

const rowSchema = z.tuple([
  z.object({
    sessions: z.coerce.number(),
    commits: z.coerce.number(),
    /** Null if the server does not count them. */
    scans: z.coerce.number().nullable(),
    flushes: z.coerce.number().nullable(),
    checkpoints: z.coerce.number(),
  }),
]);
type Row = z.infer<typeof rowSchema>[0];

/** SQLSTATEs for a view, column or function that is missing, unsupported or may not be read. */
export const unreadable = ['42501', '42P01', '42703', '0A000'];

const settleTimeoutMs = 5_000;
const pollMs = 10;

/** The sessions whose end is awaited: those with a name, and a pooler's connections. Without any, all have ended. */
export interface EndingSessions {
  readonly applicationName?: string;
  /** Process ids, at the server. */
  readonly backends?: readonly number[];
}

/**
 * Reads the counters of the database once they are complete. A session adds its statistics to the shared ones at most
 * once a second while it works, only after 10 s when it goes idle, but always when it ends. Therefore this waits
 * until no session named `applicationName` and none of `backends` is left, and two readings agree. Rejects when some are left after 5 s. Empty if there are no such statistics, or the user may not see them.
 */
export async function readCounters(
  client: ClientBase,
  sessions: EndingSessions,
  signal: AbortSignal,
): Promise<WorkCounters> {
  try {
    return await settledCounters(client, sessions, signal);
  } catch (error) {
    if (hasCode(error, ...unreadable)) return {};
    throw error;
  }
}

async function settledCounters(
  client: ClientBase,
  { applicationName, backends = [] }: EndingSessions,
  signal: AbortSignal,
): Promise<WorkCounters> {
  const query = countersQuery(await versionNumber(client));
  const deadline = Date.now() + settleTimeoutMs;
  let previous: Row | null = null;
  for (;;) {
    const { rows } = await client.query(query, [applicationName ?? null, backends]);
    const [row] = rowSchema.parse(rows);
    const late = Date.now() > deadline;
    if (row.sessions === 0 && (late || (previous !== null && agrees(row, previous)))) {
      const { commits, scans, flushes, checkpoints } = row;
      return {
        commits,
        transactions: commits,
        checkpoints,
        ...(scans === null ? {} : { scans }),
        ...(flushes === null ? {} : { flushes }),
      };
    }
    if (late) {
      throw new Error(
        `PostgreSQL: ${row.sessions} sessions ${applicationName === undefined ? 'of the pooler' : `named ${applicationName}`} still exist after ${settleTimeoutMs} ms, ` +
          'so its commit counter is not complete; end them',
      );
    }
    previous = row;
    await sleep(pollMs, undefined, { signal });
  }
}

/** Readings agree when only our own reading was committed in between. */
function agrees(row: Row, previous: Row): boolean {
  return row.commits - previous.commits <= 1;
}

export async function versionNumber(client: ClientBase): Promise<number> {
  const { rows } = await client.query(`SELECT current_setting('server_version_num')::int AS number`);
  return z.tuple([z.object({ number: z.number() })]).parse(rows)[0].number;
}

function countersQuery(version: number): string {
  return `SELECT
    (SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 OR pid = ANY ($2::int[])) AS sessions,
    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits,
    (SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) FROM pg_stat_user_tables
      WHERE schemaname = '${ourSchema()}'
      HAVING current_setting('track_counts')::bool) AS scans,
    ${flushesExpression(version)} AS flushes,
    ${checkpointsExpression(version)} AS checkpoints`;
}

/**
 * WAL flushes are counted by pg_stat_io since 18, by pg_stat_wal before. Whose session waits for its commit flushes the log itself, or
 * waits for another that does; the walwriter flushes by a timer what nobody waits for. With open_datasync and open_sync each write
 * of the log is its own flush (O_DSYNC, O_SYNC), and nothing is counted as one.
 */
function flushesExpression(version: number): string {
  const [view, syncs, writes] =
    version >= 180_000
      ? [`pg_stat_io WHERE object = 'wal' AND backend_type = 'client backend'`, 'fsyncs', 'writes']
      : ['pg_stat_wal', 'wal_sync', 'wal_write'];
  return `(SELECT sum(CASE WHEN current_setting('wal_sync_method') LIKE 'open%' THEN ${writes} ELSE ${syncs} END) FROM ${view})`;
}

export function checkpointsExpression(version: number): string {
  return version >= 170_000
    ? '(SELECT num_timed + num_requested FROM pg_stat_checkpointer)'
    : '(SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter)';
}
