import { atomic, bindSqlite, drizzleNodeSqlite, int64 } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const stock = sqliteTable('stock', { item: integer().primaryKey(), quantity: int64(), price: int64() });
const orders = sqliteTable('orders', { id: int64().primaryKey(), customer: integer(), total: int64() });
const line = sqliteTable('line', { order: int64(), item: integer(), quantity: int64() });
const ofItem = eq(stock.item, sql.placeholder('item'));
const taken = { quantity: sql`${stock.quantity} - ${sql.placeholder('quantity')}` };
type Lines = readonly { readonly item: number; readonly quantity: bigint }[];

export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const find = db.select().from(stock).where(ofItem).prepare();
  const take = db.update(stock).set(taken).where(ofItem).prepare();
  const place = ({ id, customer, lines }: { id: bigint; customer: number; lines: Lines }) => {
    const found = lines.flatMap(({ item }) => find.all({ item }));
    if (found.length < lines.length) return { declined: 'unknown-item' };
    const isShort = lines.some(({ quantity }, at) => (found[at]?.quantity ?? 0n) < quantity);
    if (isShort) return { declined: 'out-of-stock' };
    const total = lines.reduce((sum, { quantity }, at) => sum + quantity * (found[at]?.price ?? 0n), 0n);
    for (const each of lines) take.run(each);
    db.insert(orders).values({ id, customer, total }).run();
    const ordered = lines.map((each) => ({ order: id, ...each }));
    db.insert(line).values(ordered).run();
    return { fields: { total } };
  };
  return { place: atomic(db, place) };
});
