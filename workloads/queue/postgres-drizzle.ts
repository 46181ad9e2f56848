import { applies, bindPostgres, ourSchema } from '@fair-bench/connector-postgres/binding';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema, text } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const schema = pgSchema(ourSchema());
const jobs = schema.table('job', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  payload: text('payload').notNull(),
});
const claimed = schema.table('claimed', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  job: bigint('job', { mode: 'number' }).notNull(),
});

/** A claim is two prepared statements in a transaction, every other operation one, which is its own. */
export default bindPostgres(workload, (client) => {
  const db = drizzle({ client });
  const insert = db
    .insert(jobs)
    .values({ id: sql.placeholder('id'), payload: sql.placeholder('payload') })
    .prepare('enqueue');
  // The oldest job that no other worker is taking.
  const oldest = db
    .select({ id: jobs.id })
    .from(jobs)
    .orderBy(jobs.id)
    .limit(1)
    .for('update', { skipLocked: true });
  const take = db.delete(jobs).where(eq(jobs.id, oldest)).returning().prepare('take');
  const note = db
    .insert(claimed)
    .values({ id: sql.placeholder('claim'), job: sql.placeholder('job') })
    .prepare('note');
  const finish = db
    .delete(claimed)
    .where(eq(claimed.id, sql.placeholder('claim')))
    .returning({ id: claimed.id })
    .prepare('finish');

  return {
    enqueue: applies(insert),
    async claim({ claim }: { readonly claim: number }) {
      return await db.transaction(async () => {
        const [job] = await take.execute();
        if (job === undefined) return { declined: 'empty' };
        await note.execute({ claim, job: job.id });
        return { fields: job };
      });
    },
    async finish({ claim }: { readonly claim: number }) {
      return (await finish.execute({ claim })).length === 0 ? { declined: 'unknown' } : null;
    },
  };
});
