import { applies, bindPostgres, returnsRows, ourSchema } from '@fair-bench/connector-postgres/binding';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema, text } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const items = pgSchema(ourSchema()).table('item', {
  cart: bigint({ mode: 'number' }).notNull(),
  product: bigint({ mode: 'number' }).notNull(),
  quantity: bigint({ mode: 'bigint' }).notNull(),
  note: text().notNull(),
});

/** Every operation is one prepared statement, which is its own transaction. */
export default bindPostgres(workload, (client) => {
  const db = drizzle({ client });
  const upsert = db
    .insert(items)
    .values({
      cart: sql.placeholder('cart'),
      product: sql.placeholder('product'),
      quantity: sql.placeholder('quantity'),
      note: sql.placeholder('note'),
    })
    .onConflictDoUpdate({
      target: [items.cart, items.product],
      set: { quantity: sql`${items.quantity} + excluded.quantity`, note: sql`excluded.note` },
    })
    .prepare('put');
  const select = db
    .select()
    .from(items)
    .where(eq(items.cart, sql.placeholder('cart')))
    .orderBy(items.product)
    .limit(sql.placeholder('lines'))
    .prepare('view');

  return { put: applies(upsert), view: returnsRows(select) };
});
