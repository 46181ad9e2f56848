import { applies, bindPostgres, returnsRows, ourSchema } from '@fair-bench/connector-postgres/binding';
import { desc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema, text } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const schema = pgSchema(ourSchema());
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

/** Every operation is one prepared statement, which is its own transaction. */
export default bindPostgres(workload, (client) => {
  const db = drizzle({ client });
  const isCounter = eq(counters.id, sql.placeholder('counter'));
  const add = db
    .update(counters)
    .set({ value: sql`${counters.value} + 1` })
    .where(isCounter)
    .prepare('increment');
  const insert = db
    .insert(messages)
    .values({
      id: sql.placeholder('id'),
      sender: sql.placeholder('sender'),
      channel: sql.placeholder('channel'),
      body: sql.placeholder('body'),
    })
    .prepare('message');
  const read = db.select().from(counters).where(isCounter).prepare('counter');
  const newest = db
    .select()
    .from(messages)
    .orderBy(desc(messages.id))
    .limit(sql.placeholder('limit'))
    .prepare('messages');

  return {
    increment: applies(add),
    message: applies(insert),
    counter: returnsRows(read),
    messages: returnsRows(newest),
  };
});
