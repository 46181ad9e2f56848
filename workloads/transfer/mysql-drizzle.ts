import { bindMysql, ourSchema } from '@fair-bench/mysql/binding';
import { inArray, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import { bigint, mysqlSchema } from 'drizzle-orm/mysql-core';
import workload from './workload.ts';

const account = mysqlSchema(ourSchema()).table('account', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  balance: bigint('balance', { mode: 'bigint' }).notNull(),
});

interface Transfer {
  readonly source: number;
  readonly target: number;
  readonly amount: bigint;
}

/**
 * The transfer as a transaction that locks both rows, checks, and moves the amount. Queries are built
 * once per connection, as Drizzle recommends. Both rows change by one UPDATE, so a transfer with BEGIN and COMMIT is four round trips.
 */
export default bindMysql(workload, (client) => {
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
    .prepare();
  const move = db
    .update(account)
    .set({
      balance: sql`${account.balance} + CASE ${account.id} WHEN ${sourceOf} THEN -${amountOf} ELSE ${amountOf} END`,
    })
    .where(both)
    .prepare();

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
