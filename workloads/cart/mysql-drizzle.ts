import { applies, bindMysql, returnsRows, ourSchema } from '@fair-bench/mysql/binding';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import { bigint, mysqlSchema, text } from 'drizzle-orm/mysql-core';
import workload from './workload.ts';

const items = mysqlSchema(ourSchema()).table('item', {
  cart: bigint({ mode: 'number' }).notNull(),
  product: bigint({ mode: 'number' }).notNull(),
  quantity: bigint({ mode: 'bigint' }).notNull(),
  note: text().notNull(),
});

/** Every operation is one statement, which is its own transaction. */
export default bindMysql(workload, (client) => {
  const db = drizzle({ client });
  const upsert = db
    .insert(items)
    .values({
      cart: sql.placeholder('cart'),
      product: sql.placeholder('product'),
      quantity: sql.placeholder('quantity'),
      note: sql.placeholder('note'),
    })
    .onDuplicateKeyUpdate({
      set: { quantity: sql`${items.quantity} + VALUES(quantity)`, note: sql`VALUES(note)` },
    })
    .prepare();
  const select = db
    .select()
    .from(items)
    .where(eq(items.cart, sql.placeholder('cart')))
    .orderBy(items.product)
    .limit(sql.placeholder('lines'))
    .prepare();

  return { put: applies(upsert), view: returnsRows(select) };
});
