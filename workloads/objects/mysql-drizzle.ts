import { bindMysql, isDuplicate, rawRows, returnsRows, ourSchema } from '@fair-bench/mysql/binding';
import { and, desc, eq, gte, lte, sql } from 'drizzle-orm';
import { bigint, mysqlSchema, text } from 'drizzle-orm/mysql-core';
import { drizzle } from 'drizzle-orm/mysql2';
import workload from './workload.ts';

const versions = mysqlSchema(ourSchema()).table('version', {
  code: bigint({ mode: 'number' }).notNull(),
  valid_from: bigint({ mode: 'number' }).notNull(),
  id: bigint({ mode: 'bigint' }).notNull(),
  recorded: bigint({ mode: 'bigint' }).notNull(),
  name: text().notNull(),
  payload: text().notNull(),
});

interface Version {
  readonly code: number;
  readonly valid_from: number;
  readonly name: string;
  readonly payload: string;
}

const ofCode = eq(versions.code, sql.placeholder('code'));

/**
 * MySQL has no INSERT … RETURNING and no sequences: what the server gives a version is asked for first. A correction is a statement
 * more: an object is never deleted.
 */
export default bindMysql(workload, (client) => {
  const db = drizzle({ client });
  const record = async ({ code, valid_from, name, payload }: Version) => {
    const time = sql`CAST(unix_timestamp(sysdate(6)) * 1000000 AS SIGNED)`;
    const given = await db.execute(sql`SELECT uuid_short() & 9223372036854775807 AS id, ${time} AS recorded`);
    const int64 = (column: string): bigint => BigInt(String(rawRows(given)[0]?.[column]));
    const [id, recorded] = [int64('id'), int64('recorded')];
    await db.insert(versions).values({ code, valid_from, id, recorded, name, payload });
    return { fields: { id, recorded } };
  };
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
    write: record,
    async correct(version: Version & { readonly first: number }) {
      if ((await first.execute({ ...version })).length === 0) return { declined: 'unknown' };
      try {
        return await record(version);
      } catch (error) {
        if (isDuplicate(error)) return { declined: 'duplicate' };
        throw error;
      }
    },
    by_code: returnsRows(newest),
    by_id: returnsRows(byId),
    as_known_at: returnsRows(known),
    all: returnsRows(many),
  };
});
