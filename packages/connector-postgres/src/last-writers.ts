import type { Client } from 'pg';
import { z } from 'zod';
import type { LastWriters, TableShape } from '@fair-bench/contract';
import { nameOf } from '@fair-bench/sql';
import { dialect } from './statements.ts';

/**
 * Where ids of transactions stand: the next one, and those of transactions that have not ended. A row's id is the last 32
 * bits of one.
 */
const markQuery = `SELECT pg_snapshot_xmax(s)::text AS next,
  ARRAY(SELECT (pg_snapshot_xip(s)::text::numeric % 4294967296)::text) AS unfinished
FROM pg_current_snapshot() AS s`;
const markSchema = z.tuple([z.object({ next: z.string(), unfinished: z.array(z.string()) })]);

/**
 * Ids are later than the mark as PostgreSQL compares them: half of all are, and a trial takes far fewer. Those of seeded rows
 * are earlier. A row that is frozen keeps its id.
 */
function rowsQuery(table: TableShape): { readonly name: string; readonly text: string } {
  return {
    name: `rows of one transaction in ${table.name}`,
    text: `SELECT coalesce(max(rows), 0)::float8 AS most
FROM (SELECT xmin::text AS id, count(*) AS rows FROM ${nameOf(table, dialect)} GROUP BY xmin) AS each
WHERE ((id::bigint - $1::bigint) & 4294967295) < 2147483648 OR id = ANY ($2::text[])`,
  };
}

/** A subtransaction has an id of its own from its first write on, and rows name that one. Shown since PostgreSQL 16. */
const subtransactionsQuery = {
  name: 'subtransactions of one transaction',
  text: `SELECT coalesce(max(s.subxact_count), 0)::float8 AS most
FROM pg_stat_get_backend_idset() AS backend, LATERAL pg_stat_get_backend_subxact(backend) AS s
WHERE pg_stat_get_backend_dbid(backend) = (SELECT oid FROM pg_database WHERE datname = current_database())`,
};
const mostSchema = z.tuple([z.object({ most: z.number() })]);

/** By a connection that nothing else waits for, because reading all rows takes a while. */
export async function lastWriters(client: Client, shapes: readonly TableShape[]): Promise<LastWriters> {
  const [{ next, unfinished }] = markSchema.parse((await client.query(markQuery)).rows);
  const queries = shapes.map((table) => (table.written ? rowsQuery(table) : null));
  const subtransactionsMost = async (): Promise<number> =>
    mostSchema.parse((await client.query(subtransactionsQuery)).rows)[0].most;
  // A server that only speaks the protocol may have neither.
  for (const { name } of shapes) await client.query(`SELECT xmin FROM ${nameOf({ name }, dialect)} LIMIT 0`);
  const isShown = await subtransactionsMost().then(
    () => true,
    () => false,
  );
  return {
    subtransactionsMost: isShown ? subtransactionsMost : null,
    async rowsMost() {
      const most: number[] = [];
      for (const query of queries) {
        const values = [next, unfinished];
        const rows = query === null ? null : (await client.query({ ...query, values })).rows;
        most.push(rows === null ? 0 : mostSchema.parse(rows)[0].most);
      }
      return most;
    },
  };
}
