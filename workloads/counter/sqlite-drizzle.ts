import {
  applies,
  bindSqlite,
  drizzleNodeSqlite,
  int64,
  returnsRows,
} from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { desc, eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const counters = sqliteTable('counter', { id: integer('id').primaryKey(), value: int64('value') });
const messages = sqliteTable('message', {
  id: int64('id').primaryKey(),
  sender: integer('sender').notNull(),
  channel: integer('channel').notNull(),
  body: text('body').notNull(),
});

/** Every operation is one prepared statement, which is its own transaction. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const isCounter = eq(counters.id, sql.placeholder('counter'));
  const increment = db
    .update(counters)
    .set({ value: sql`${counters.value} + 1` })
    .where(isCounter)
    .prepare();
  const insert = db
    .insert(messages)
    .values({
      id: sql.placeholder('id'),
      sender: sql.placeholder('sender'),
      channel: sql.placeholder('channel'),
      body: sql.placeholder('body'),
    })
    .prepare();
  const read = db.select().from(counters).where(isCounter).prepare();
  const newest = db
    .select()
    .from(messages)
    .orderBy(desc(messages.id))
    .limit(sql.placeholder('limit'))
    .prepare();

  return {
    increment: applies(increment),
    message: applies(insert),
    counter: returnsRows(read),
    messages: returnsRows(newest),
  };
});
