import type { Client } from 'pg';
import { z } from 'zod';
import { type LastWriters, type TableShape, ourSchema } from '@fair-bench/contract';
import { nameOf } from '@fair-bench/sql';
import { dialect } from './statements.ts';

/** The next id. A row has the last 32 bits of one. */
const nextQuery =
  'SELECT (pg_snapshot_xmax(pg_current_snapshot())::text::numeric % 4294967296)::text AS next';
const nextSchema = z.tuple([z.object({ next: z.string() })]);

/**
 * Rows that were written since the id was the next one. Ages are differences that wrap around as ids do, and a trial takes far fewer
 * than half of all ids. A row that is frozen keeps its id.
 */
function rowsQuery(table: TableShape): { readonly name: string; readonly text: string } {
  return {
    name: `rows of one transaction in ${table.name}`,
    text: `SELECT coalesce(max(rows), 0)::float8 AS most
FROM (SELECT count(*) AS rows FROM ${nameOf(table, dialect)} WHERE age(xmin) <= age($1::xid) GROUP BY xmin) AS written`,
  };
}

/**
 * A subtransaction has an id of its own from its first write on, and rows name that one. Shown since PostgreSQL 16. Other
 * work in the same database does not count: it has not locked our tables for writing.
 */
const subtransactionsQuery = () => ({
  name: 'subtransactions of one transaction',
  text: `SELECT coalesce(max(CASE WHEN s.subxact_count = 0 THEN 0
  WHEN EXISTS (SELECT FROM pg_locks AS held JOIN pg_class AS c ON c.oid = held.relation
    WHERE held.pid = pg_stat_get_backend_pid(backend) AND held.mode = 'RowExclusiveLock'
      AND c.relnamespace = '${ourSchema()}'::regnamespace) THEN s.subxact_count ELSE 0 END), 0)::float8 AS most
FROM pg_stat_get_backend_idset() AS backend, LATERAL pg_stat_get_backend_subxact(backend) AS s
WHERE pg_stat_get_backend_dbid(backend) = (SELECT oid FROM pg_database WHERE datname = current_database())`,
});
const mostSchema = z.tuple([z.object({ most: z.number() })]);

/** `client` must have no other use: reading all rows takes a while. */
export async function lastWriters(client: Client, shapes: readonly TableShape[]): Promise<LastWriters> {
  const [{ next }] = nextSchema.parse((await client.query(nextQuery)).rows);
  const queries = shapes.map((table) => (table.written ? rowsQuery(table) : null));
  const subtransactionsMost = async (): Promise<number> =>
    mostSchema.parse((await client.query(subtransactionsQuery())).rows)[0].most;
  // A server that only speaks the protocol may have neither.
  for (const shape of shapes) await client.query(`SELECT xmin FROM ${nameOf(shape, dialect)} LIMIT 0`);
  const isShown = await subtransactionsMost().then(
    () => true,
    () => false,
  );
  return {
    subtransactionsMost: isShown ? subtransactionsMost : null,
    async rowsMost() {
      const most: number[] = [];
      for (const query of queries) {
        const rows = query === null ? null : (await client.query({ ...query, values: [next] })).rows;
        most.push(rows === null ? 0 : mostSchema.parse(rows)[0].most);
      }
      return most;
    },
  };
}
