import { applies, bindMysql, ourSchema } from '@fair-bench/mysql/binding';
import { eq, sql } from 'drizzle-orm';
import { bigint, mysqlSchema, text } from 'drizzle-orm/mysql-core';
import { drizzle } from 'drizzle-orm/mysql2';
import workload from './workload.ts';

const schema = mysqlSchema(ourSchema());
const jobs = schema.table('job', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  payload: text('payload').notNull(),
});
const claimed = schema.table('claimed', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  job: bigint('job', { mode: 'number' }).notNull(),
});

/** A claim is three statements in a transaction, every other operation one, which is its own. */
export default bindMysql(workload, (client) => {
  const db = drizzle({ client });
  const insert = db
    .insert(jobs)
    .values({ id: sql.placeholder('id'), payload: sql.placeholder('payload') })
    .prepare();
  // The oldest job that no other worker is taking.
  const oldest = db
    .select()
    .from(jobs)
    .orderBy(jobs.id)
    .limit(1)
    .for('update', { skipLocked: true })
    .prepare();
  const take = db
    .delete(jobs)
    .where(eq(jobs.id, sql.placeholder('id')))
    .prepare();
  const note = db
    .insert(claimed)
    .values({ id: sql.placeholder('claim'), job: sql.placeholder('job') })
    .prepare();
  const finish = db
    .delete(claimed)
    .where(eq(claimed.id, sql.placeholder('claim')))
    .prepare();

  return {
    enqueue: applies(insert),
    async claim({ claim }: { readonly claim: number }) {
      return await db.transaction(async () => {
        const [job] = await oldest.execute();
        if (job === undefined) return { declined: 'empty' };
        await take.execute({ id: job.id });
        await note.execute({ claim, job: job.id });
        return { fields: job };
      });
    },
    async finish({ claim }: { readonly claim: number }) {
      const [{ affectedRows }] = await finish.execute({ claim });
      return affectedRows === 0 ? { declined: 'unknown' } : null;
    },
  };
});
