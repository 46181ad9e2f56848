import { z } from 'zod';
import { type Observer, tableAt, type TableShape } from '@fair-bench/contract';
import { readRows } from '@fair-bench/sql';
import { openConnection } from './connection.ts';
import { dialect } from './statements.ts';
import { sqlOf } from './tables.ts';

/**
 * Ended transactions that had an id. A transaction gets an id at its first write, and a snapshot shows them without
 * delay, unlike the statistics of backends; rolled-back ones are included.
 */
const endedQuery = {
  name: 'ended transactions',
  text: `SELECT (pg_snapshot_xmax(s)::text::numeric - (SELECT count(*) FROM pg_snapshot_xip(s)))::text AS ended
FROM pg_current_snapshot() AS s`,
};
const endedSchema = z.tuple([z.object({ ended: z.coerce.number() })]);

/** The load time belongs to the session, so only readings of one session can be compared. */
const settingsQuery = {
  name: 'settings of durability',
  text: `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
current_setting('full_page_writes') AS full_page_writes, current_setting('wal_sync_method') AS wal_sync_method,
pg_conf_load_time()::text AS "configuration loaded", pg_postmaster_start_time()::text AS "server started"`,
};
const settingsSchema = z.tuple([z.record(z.string(), z.string())]);

/** A session like the timed ones. */
export async function observePostgres(
  url: string,
  shapes: readonly TableShape[],
  signal: AbortSignal,
): Promise<Observer> {
  const config = { connectionString: url, application_name: 'fair-bench observer', pipeline: true };
  const { client, [Symbol.asyncDispose]: end } = await openConnection(config, signal);
  const committed = async (): Promise<number> =>
    endedSchema.parse((await client.query(endedQuery)).rows)[0].ended;
  const settings = async (): Promise<Record<string, string>> =>
    settingsSchema.parse((await client.query(settingsQuery)).rows)[0];
  // A server that only speaks the protocol may have neither.
  return {
    read: async (table, keys) =>
      await readRows(sqlOf(client), tableAt('postgres', shapes, table), dialect, keys),
    committed: await orNull(committed),
    settings: await orNull(settings),
    close: async () => await end(),
  };
}

async function orNull<Read extends () => Promise<unknown>>(read: Read): Promise<Read | null> {
  return await read().then(
    () => read,
    () => null,
  );
}
