import { bindPostgres, returnsRows, ourSchema } from '@fair-bench/connector-postgres/binding';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema, text } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const record = pgSchema(ourSchema()).table('record', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  value: text('value').notNull(),
});

/** One prepared statement, which is its own transaction. */
export default bindPostgres(workload, (client) => {
  const ofId = eq(record.id, sql.placeholder('id'));
  const read = drizzle({ client }).select().from(record).where(ofId).prepare('read');
  return { read: returnsRows(read) };
});
