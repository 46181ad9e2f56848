import { bindSqlite, drizzleNodeSqlite } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const jobs = sqliteTable('job', { id: integer('id').primaryKey(), payload: text('payload').notNull() });

interface Job {
  readonly id: number;
  readonly payload: string;
}

/** Every operation is one prepared statement, which is its own transaction; one connection writes at a time, so that none is skipped. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const insert = db
    .insert(jobs)
    .values({ id: sql.placeholder('id'), payload: sql.placeholder('payload') })
    .prepare();
  const oldest = db.select({ id: jobs.id }).from(jobs).orderBy(jobs.id).limit(1);
  const take = db.delete(jobs).where(eq(jobs.id, oldest)).returning().prepare();

  return {
    enqueue({ id, payload }: Job) {
      insert.run({ id, payload });
      return null;
    },
    take() {
      const [job] = take.all();
      return job === undefined ? { declined: 'empty' } : { fields: job };
    },
  };
});
