import { bindPostgres } from '@fair-bench/connector-postgres/binding';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema, text } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const jobs = pgSchema('fair_bench').table('job', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  payload: text('payload').notNull(),
});

interface Job {
  readonly id: number;
  readonly payload: string;
}

/** Every operation is one prepared statement, which is its own transaction. */
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

  return {
    async enqueue({ id, payload }: Job) {
      await insert.execute({ id, payload });
      return null;
    },
    async take() {
      const [job] = await take.execute();
      return job === undefined ? { declined: 'empty' } : { fields: job };
    },
  };
});
