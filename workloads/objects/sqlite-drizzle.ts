import {
  atomic,
  bindSqlite,
  drizzleNodeSqlite,
  int64,
  returnsRows,
} from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { and, desc, eq, gte, lte, sql } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const versions = sqliteTable(
  'version',
  {
    code: integer().notNull(),
    valid_from: integer().notNull(),
    id: int64('id'),
    recorded: int64('recorded'),
    name: text().notNull(),
    payload: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.code, table.valid_from] })],
);

interface Version {
  readonly code: number;
  readonly valid_from: number;
  readonly name: string;
  readonly payload: string;
}

const ofCode = eq(versions.code, sql.placeholder('code'));

/** One connection writes at a time: the next id is the largest one plus 1. The clock has milliseconds. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const record = db
    .insert(versions)
    .values({
      code: sql.placeholder('code'),
      valid_from: sql.placeholder('valid_from'),
      id: sql`(SELECT max(0, max(id)) + 1 FROM version)`,
      recorded: sql`cast(unixepoch('subsec') * 1000 AS integer) * 1000`,
      name: sql.placeholder('name'),
      payload: sql.placeholder('payload'),
    })
    .onConflictDoNothing()
    .returning({ id: versions.id, recorded: versions.recorded })
    .prepare();
  const first = db
    .select({ code: versions.code })
    .from(versions)
    .where(and(ofCode, eq(versions.valid_from, sql.placeholder('first'))))
    .prepare();
  const newest = db
    .select()
    .from(versions)
    .where(ofCode)
    .orderBy(desc(versions.valid_from))
    .limit(1)
    .prepare();
  const byId = db
    .select()
    .from(versions)
    .where(eq(versions.id, sql.placeholder('id')))
    .prepare();
  const known = db
    .select()
    .from(versions)
    .where(and(ofCode, lte(versions.recorded, sql.placeholder('at'))))
    .orderBy(desc(versions.valid_from))
    .limit(1)
    .prepare();
  const many = db
    .select()
    .from(versions)
    .where(gte(versions.code, sql.placeholder('code')))
    .orderBy(versions.code, versions.valid_from)
    .limit(sql.placeholder('limit'))
    .prepare();

  return {
    write(version: Version) {
      const [given] = record.all({ ...version });
      if (given === undefined) throw new Error(`version ${version.code} exists already`);
      return { fields: given };
    },
    correct: atomic(db, (version: Version & { readonly first: number }) => {
      if (first.all({ ...version }).length === 0) return { declined: 'unknown' };
      const [given] = record.all({ ...version });
      return given === undefined ? { declined: 'duplicate' } : { fields: given };
    }),
    by_code: returnsRows(newest),
    by_id: returnsRows(byId),
    as_known_at: returnsRows(known),
    all: returnsRows(many),
  };
});
