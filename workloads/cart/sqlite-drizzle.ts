import {
  applies,
  bindSqlite,
  drizzleNodeSqlite,
  int64,
  returnsRows,
} from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const items = sqliteTable(
  'item',
  {
    cart: integer().notNull(),
    product: integer().notNull(),
    quantity: int64('quantity'),
    note: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.cart, table.product] })],
);

/** Every operation is one prepared statement, which is its own transaction. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
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
