import { bindPostgres, ourSchema } from '@fair-bench/connector-postgres/binding';
import { inArray, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const account = pgSchema(ourSchema()).table('account', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  balance: bigint('balance', { mode: 'bigint' }).notNull(),
});

interface Transfer {
  readonly source: number;
  readonly target: number;
  readonly amount: bigint;
}

/**
 * The transfer as a transaction that locks both rows, checks, and moves the amount. Queries are built and prepared
 * once per connection, as Drizzle recommends; building them for each transaction costs the server about a third more
 * CPU. Both rows change by one UPDATE, so a transfer with BEGIN and COMMIT is four round trips.
 */
export default bindPostgres(workload, (client) => {
  const db = drizzle({ client });
  const sourceOf = sql.placeholder('source');
  const targetOf = sql.placeholder('target');
  const amountOf = sql.placeholder('amount');
  const both = inArray(account.id, [sourceOf, targetOf]);
  const lockBoth = db
    .select()
    .from(account)
    .where(both)
    // Locks in the order of ids: opposite transfers cannot deadlock.
    .orderBy(account.id)
    .for('update')
    .prepare('lock_accounts');
  const move = db
    .update(account)
    .set({
      balance: sql`${account.balance} + CASE ${account.id} WHEN ${sourceOf} THEN -${amountOf}::bigint ELSE ${amountOf}::bigint END`,
    })
    .where(both)
    .prepare('move_amount');

  return {
    async transfer({ source, target, amount }: Transfer) {
      if (amount <= 0n) return { declined: 'non-positive-amount' };
      if (source === target) return { declined: 'same-account' };
      return await db.transaction(async () => {
        const rows = await lockBoth.execute({ source, target });
        const sourceRow = rows.find(({ id }) => id === source);
        if (sourceRow === undefined || rows.length < 2) return { declined: 'missing-account' };
        if (sourceRow.balance < amount) return { declined: 'insufficient-funds' };
        await move.execute({ source, target, amount });
        return null;
      });
    },
  };
});
