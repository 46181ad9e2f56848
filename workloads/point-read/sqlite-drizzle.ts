import { bindSqlite, drizzleNodeSqlite, returnsRows } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const record = sqliteTable('record', { id: integer('id').primaryKey(), value: text('value').notNull() });

/** One prepared statement, which is its own transaction. */
export default bindSqlite(workload, (database) => {
  const ofId = eq(record.id, sql.placeholder('id'));
  const read = drizzleNodeSqlite(database).select().from(record).where(ofId).prepare();
  return { read: returnsRows(read) };
});
