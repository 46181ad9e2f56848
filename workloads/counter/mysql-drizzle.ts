import { applies, bindMysql, returnsRows, ourSchema } from '@fair-bench/mysql/binding';
import { desc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import { bigint, mysqlSchema, text } from 'drizzle-orm/mysql-core';
import workload from './workload.ts';

const schema = mysqlSchema(ourSchema());
const counters = schema.table('counter', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  value: bigint('value', { mode: 'bigint' }).notNull(),
});
const messages = schema.table('message', {
  id: bigint('id', { mode: 'bigint' }).primaryKey(),
  sender: bigint('sender', { mode: 'number' }).notNull(),
  channel: bigint('channel', { mode: 'number' }).notNull(),
  body: text('body').notNull(),
});

/** Every operation is one statement, which is its own transaction. */
export default bindMysql(workload, (client) => {
  const db = drizzle({ client });
  const isCounter = eq(counters.id, sql.placeholder('counter'));
  const add = db
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
    increment: applies(add),
    message: applies(insert),
    counter: returnsRows(read),
    messages: returnsRows(newest),
  };
});
