import { bindMysql, returnsRows, ourSchema } from '@fair-bench/mysql/binding';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import { bigint, mysqlSchema, text } from 'drizzle-orm/mysql-core';
import workload from './workload.ts';

const record = mysqlSchema(ourSchema()).table('record', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  value: text('value').notNull(),
});

/** One statement, which is its own transaction. */
export default bindMysql(workload, (client) => {
  const ofId = eq(record.id, sql.placeholder('id'));
  const read = drizzle({ client }).select().from(record).where(ofId).prepare();
  return { read: returnsRows(read) };
});
