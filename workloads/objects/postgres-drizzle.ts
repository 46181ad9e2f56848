import { bindPostgres, returnsRows, ourSchema } from '@fair-bench/connector-postgres/binding';
import { and, desc, eq, gte, lte, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema, text } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const versions = pgSchema(ourSchema()).table('version', {
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

/** A read and a write are one prepared statement each; a correction is two: an object is never deleted. */
export default bindPostgres(workload, (client) => {
  const db = drizzle({ client });
  const insert = () =>
    db.insert(versions).values({
      code: sql.placeholder('code'),
      valid_from: sql.placeholder('valid_from'),
      id: sql`nextval(${sql.raw(`'${ourSchema()}.version_id'`)})`,
      recorded: sql`${sql.raw(ourSchema())}.record_time()`,
      name: sql.placeholder('name'),
      payload: sql.placeholder('payload'),
    });
  const given = { id: versions.id, recorded: versions.recorded };
  const write = insert().returning(given).prepare('write');
  const correct = insert().onConflictDoNothing().returning(given).prepare('correct');
  const first = db
    .select({ code: versions.code })
    .from(versions)
    .where(and(ofCode, eq(versions.valid_from, sql.placeholder('first'))))
    .prepare('first');
  const newest = db
    .select()
    .from(versions)
    .where(ofCode)
    .orderBy(desc(versions.valid_from))
    .limit(1)
    .prepare('by_code');
  const byId = db
    .select()
    .from(versions)
    .where(eq(versions.id, sql.placeholder('id')))
    .prepare('by_id');
  const known = db
    .select()
    .from(versions)
    .where(and(ofCode, lte(versions.recorded, sql.placeholder('at'))))
    .orderBy(desc(versions.valid_from))
    .limit(1)
    .prepare('as_known_at');
  const many = db
    .select()
    .from(versions)
    .where(gte(versions.code, sql.placeholder('code')))
    .orderBy(versions.code, versions.valid_from)
    .limit(sql.placeholder('limit'))
    .prepare('all');

  return {
    async write(version: Version) {
      const [fields] = await write.execute({ ...version });
      if (fields === undefined) throw new Error(`version ${version.code} was not written`);
      return { fields };
    },
    async correct(version: Version & { readonly first: number }) {
      if ((await first.execute({ ...version })).length === 0) return { declined: 'unknown' };
      const [fields] = await correct.execute({ ...version });
      return fields === undefined ? { declined: 'duplicate' } : { fields };
    },
    by_code: returnsRows(newest),
    by_id: returnsRows(byId),
    as_known_at: returnsRows(known),
    all: returnsRows(many),
  };
});
