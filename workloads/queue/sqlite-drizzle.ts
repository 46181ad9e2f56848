import {
  applies,
  atomic,
  bindSqlite,
  drizzleNodeSqlite,
} from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const jobs = sqliteTable('job', { id: integer('id').primaryKey(), payload: text('payload').notNull() });
const claimed = sqliteTable('claimed', { id: integer('id').primaryKey(), job: integer('job').notNull() });

/** A claim is two prepared statements in a transaction, every other operation one; one connection writes at a time, so that none is skipped. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const insert = db
    .insert(jobs)
    .values({ id: sql.placeholder('id'), payload: sql.placeholder('payload') })
    .prepare();
  const oldest = db.select({ id: jobs.id }).from(jobs).orderBy(jobs.id).limit(1);
  const take = db.delete(jobs).where(eq(jobs.id, oldest)).returning().prepare();
  const note = db
    .insert(claimed)
    .values({ id: sql.placeholder('claim'), job: sql.placeholder('job') })
    .prepare();
  const finish = db
    .delete(claimed)
    .where(eq(claimed.id, sql.placeholder('claim')))
    .returning({ id: claimed.id })
    .prepare();

  return {
    enqueue: applies(insert),
    claim: atomic(db, ({ claim }: { readonly claim: number }) => {
      const [job] = take.all();
      if (job === undefined) return { declined: 'empty' };
      note.run({ claim, job: job.id });
      return { fields: job };
    }),
    finish: ({ claim }: { readonly claim: number }) =>
      finish.all({ claim }).length === 0 ? { declined: 'unknown' } : null,
  };
});
