import { bindPostgres, ourSchema } from '@fair-bench/connector-postgres/binding';
import { inArray, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const schema = pgSchema(ourSchema());
const number = () => bigint({ mode: 'number' }).notNull();
const int64 = () => bigint({ mode: 'bigint' }).notNull();
const stock = schema.table('stock', { item: number(), quantity: int64(), price: int64() });
const orders = schema.table('orders', { id: int64(), customer: number(), total: int64() });
const line = schema.table('line', { order: int64(), item: number(), quantity: int64() });

interface Order {
  readonly id: bigint;
  readonly customer: number;
  readonly lines: readonly { readonly item: number; readonly quantity: bigint }[];
}

/** The order as a transaction that locks its items, checks, takes and inserts: one statement each. */
export default bindPostgres(workload, (client) => {
  const db = drizzle({ client });

  return {
    async place({ id, customer, lines }: Order) {
      return await db.transaction(async () => {
        const ofLines = inArray(
          stock.item,
          lines.map(({ item }) => item),
        );
        // Locked in the order of the items: orders that overlap cannot deadlock.
        const rows = await db.select().from(stock).where(ofLines).orderBy(stock.item).for('update');
        if (rows.length < lines.length) return { declined: 'unknown-item' };
        const found = new Map(rows.map((row) => [row.item, row]));
        const isShort = lines.some(({ item, quantity }) => (found.get(item)?.quantity ?? 0n) < quantity);
        if (isShort) return { declined: 'out-of-stock' };
        const cases = lines.map(({ item, quantity }) => sql`WHEN ${item}::bigint THEN ${quantity}::bigint`);
        const taken = sql`CASE ${stock.item} ${sql.join(cases, sql` `)} END`;
        await db
          .update(stock)
          .set({ quantity: sql`${stock.quantity} - ${taken}` })
          .where(ofLines);
        const costs = lines.map(({ item, quantity }) => (found.get(item)?.price ?? 0n) * quantity);
        const total = costs.reduce((sum, cost) => sum + cost, 0n);
        await db.insert(orders).values({ id, customer, total });
        await db.insert(line).values(lines.map((each) => ({ order: id, ...each })));
        return { fields: { total } };
      });
    },
  };
});
