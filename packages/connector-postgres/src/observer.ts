import type { Client } from 'pg';
import { z } from 'zod';
import { type Observer, tableAt, type TableShape } from '@fair-bench/contract';
import { nameOf, readRows, replaceRows } from '@fair-bench/sql';
import { openConnection } from './connection.ts';
import { lastWriters } from './last-writers.ts';
import { poolingOf } from './poolers/look.ts';
import type { PostgresService } from './service.ts';
import { watchStatements } from './statement-log.ts';
import { dialect } from './statements.ts';
import { sqlOf } from './connection.ts';

/** Round trips of one look: together about as long as a flush. */
const flushTurnsMax = 4;

/** Rows of one look at a table. */
const writtenMax = 100;

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

/** Where the log ends now, and then a transaction id: whatever gets a later id has its commit behind that place. */
const logEndQuery = { name: 'end of the log', text: 'SELECT pg_current_wal_insert_lsn()::text AS lsn' };
const ownIdQuery = { name: 'transaction id', text: 'SELECT pg_current_xact_id()::text AS id' };
/** The transactions with a later id that are committed for others, and only then, how far the log is flushed. */
const committedQuery = {
  name: 'committed before flushed',
  text: `SELECT ids, pg_current_wal_flush_lsn() < $2::pg_lsn AS behind
FROM (SELECT coalesce(array_agg(id::text), '{}') AS ids
  FROM generate_series($1::bigint + 1, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1) AS id
  WHERE pg_xact_status(id::text::xid8) = 'committed') AS committed`,
};

/** Rows that a transaction with a later id wrote, oldest first, and only then, how far the log is flushed. */
function writtenQuery(table: TableShape): { readonly name: string; readonly text: string } {
  return {
    name: `written before flushed in ${table.name}`,
    text: `WITH written AS MATERIALIZED (SELECT xmin::text AS id FROM ${nameOf(table, dialect)}
  WHERE age(xmin) < age($1::xid8::xid) ORDER BY age(xmin) DESC LIMIT ${writtenMax})
SELECT id, pg_current_wal_flush_lsn()::text AS flushed, pg_current_wal_flush_lsn() < $2::pg_lsn AS behind FROM written`,
  };
}
const lsnSchema = z.tuple([z.object({ lsn: z.string() })]);
const idSchema = z.tuple([z.object({ id: z.string() })]);
const committedSchema = z.tuple([z.object({ ids: z.array(z.string()), behind: z.boolean() })]);
const writtenSchema = z.array(z.object({ id: z.string(), flushed: z.string(), behind: z.boolean() }));

/** Of a row's 32 bits of an id. */
const idsOfRows = 2n ** 32n;

/**
 * A commit that waits for its flush is visible only after it: one that is visible while the log is not flushed up to a
 * place before it did not wait. Looks until the log is flushed up to there, or for a few round trips. PostgreSQL lets no
 * transaction wait that has an id and wrote nothing, such as one whose row another has deleted meanwhile: so it counts
 * only with a row that it wrote.
 */
async function findUnflushed(client: Client, written: readonly TableShape[]): Promise<string | null> {
  const [end, own] = await Promise.all([client.query(logEndQuery), client.query(ownIdQuery)]);
  const [{ lsn }] = lsnSchema.parse(end.rows);
  const [{ id: ownId }] = idSchema.parse(own.rows);
  const values = [ownId, lsn];
  for (let turn = 0; turn < flushTurnsMax; turn += 1) {
    const [{ ids, behind }] = committedSchema.parse((await client.query({ ...committedQuery, values })).rows);
    if (!behind) return null;
    if (ids.length === 0) continue;
    const known = new Set(ids.map((id) => String(BigInt(id) % idsOfRows)));
    for (const table of written) {
      const rows = writtenSchema.parse((await client.query({ ...writtenQuery(table), values })).rows);
      const row = rows.find((one) => one.behind || known.has(one.id));
      if (row === undefined) continue;
      const flushed = row.behind
        ? `, but the log was flushed up to ${row.flushed} only`
        : ', before the log was flushed up to there';
      return `transaction ${row.id} was committed for other sessions, with a row of ${table.name} that it wrote, and its log lies behind ${lsn}${flushed}`;
    }
  }
  return null;
}

/** A session like the timed ones, and a kept connection for what takes longer. */
export async function observePostgres(
  {
    url,
    shapes,
    control,
    pooler,
    statementLog,
    own,
  }: Pick<PostgresService, 'url' | 'shapes' | 'control' | 'pooler' | 'statementLog' | 'own'>,
  signal: AbortSignal,
): Promise<Observer> {
  const reader = await control.acquire(signal);
  const config = { connectionString: url, application_name: 'fair-bench observer', pipeline: true };
  const { client, [Symbol.asyncDispose]: end } = await openConnection(config, signal).catch(
    async (error: unknown) => {
      await reader[Symbol.asyncDispose]();
      throw error;
    },
  );
  // As control connections: a time of the user's own tables may be with a time zone.
  if (own !== null) await client.query("SET TIME ZONE 'UTC'");
  // Each look takes an id of its own.
  let looks = 0;
  const committed = async (): Promise<number> => {
    const ours = looks;
    return endedSchema.parse((await client.query(endedQuery)).rows)[0].ended - ours;
  };
  const unflushed = async (): Promise<string | null> => {
    looks += 1;
    return await findUnflushed(
      client,
      shapes.filter(({ written }) => written),
    );
  };
  const settings = async (): Promise<Record<string, string>> =>
    settingsSchema.parse((await client.query(settingsQuery)).rows)[0];
  // A server that only speaks the protocol may have neither.
  return {
    ping: async () => void (await client.query('SELECT 1')),
    read: async (table, keys) =>
      await readRows(sqlOf(client), tableAt('postgres', shapes, table), dialect, keys),
    replace: async (table, rows) =>
      await replaceRows(sqlOf(client), tableAt('postgres', shapes, table), dialect, rows),
    committed: await orNull(committed),
    committedHasReads: false,
    settings: await orNull(settings),
    unflushed: await orNull(unflushed),
    lastWriters: await lastWriters(reader.client, shapes).catch(() => null),
    protocols: statementLog === null ? null : await watchStatements(statementLog),
    pooling: await poolingOf(pooler, client),
    async close() {
      await Promise.all([end(), reader[Symbol.asyncDispose]()]);
    },
  };
}

async function orNull<Read extends () => Promise<unknown>>(read: Read): Promise<Read | null> {
  return await read().then(
    () => read,
    () => null,
  );
}
