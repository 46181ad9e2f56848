import type { ClientBase } from 'pg';
import { z } from 'zod';
import { hasCode } from '@fair-bench/contract';
import { checkpointsExpression, unreadable, versionNumber } from './counters.ts';

const countsSchema = z.tuple([z.record(z.string(), z.coerce.number().nullable())]);

/**
 * What the server has begun by itself so far: checkpoints, vacuums and analyses of the autovacuum, segments of the log. Empty where its
 * user may not see it.
 */
export async function readBackground(client: ClientBase): Promise<Readonly<Record<string, number>>> {
  const version = await versionNumber(client);
  try {
    const { rows } = await client.query(
      `SELECT ${checkpointsExpression(version)} AS checkpoint,
        (SELECT coalesce(sum(autovacuum_count), 0) FROM pg_stat_all_tables) AS autovacuum,
        (SELECT coalesce(sum(autoanalyze_count), 0) FROM pg_stat_all_tables) AS autoanalyze,
        floor(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')
          / (SELECT setting::numeric FROM pg_settings WHERE name = 'wal_segment_size')) AS "log segment"`,
    );
    const [counts] = countsSchema.parse(rows);
    return Object.fromEntries(
      Object.entries(counts).flatMap(([name, count]) => (count === null ? [] : [[name, count]])),
    );
  } catch (error) {
    // A standby has no current place in the log; a service may hide its statistics.
    if (hasCode(error, ...unreadable, '55000')) return {};
    throw error;
  }
}
