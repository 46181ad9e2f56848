import { atomic, bindSqlite, drizzleNodeSqlite, int64 } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const account = sqliteTable('account', {
  id: integer('id').primaryKey(),
  balance: int64('balance'),
});

interface Transfer {
  readonly source: number;
  readonly target: number;
  readonly amount: bigint;
}

/** The transfer as one transaction of four prepared queries. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const id = eq(account.id, sql.placeholder('id'));
  const amountOf = sql.placeholder('amount');
  const balanceOf = db.select({ balance: account.balance }).from(account).where(id).prepare();
  const debit = db
    .update(account)
    .set({ balance: sql`${account.balance} - ${amountOf}` })
    .where(id)
    .prepare();
  const credit = db
    .update(account)
    .set({ balance: sql`${account.balance} + ${amountOf}` })
    .where(id)
    .prepare();

  const move = atomic(db, ({ source, target, amount }: Transfer) => {
    const sourceRow = balanceOf.get({ id: source });
    const targetRow = balanceOf.get({ id: target });
    if (sourceRow === undefined || targetRow === undefined) return { declined: 'missing-account' };
    if (sourceRow.balance < amount) return { declined: 'insufficient-funds' };
    // The synchronous driver executes on `run`; a builder that is only awaited changes nothing.
    debit.run({ id: source, amount });
    credit.run({ id: target, amount });
    return null;
  });

  return {
    transfer(transfer: Transfer) {
      if (transfer.amount <= 0n) return { declined: 'non-positive-amount' };
      if (transfer.source === transfer.target) return { declined: 'same-account' };
      return move(transfer);
    },
  };
});
