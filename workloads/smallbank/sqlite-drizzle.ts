import { atomic, bindSqlite, drizzleNodeSqlite, int64 } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const columns = { id: integer().primaryKey(), balance: int64(), writes: int64() };
const savings = sqliteTable('savings', columns);
const checking = sqliteTable('checking', columns);

interface Of {
  readonly id: number;
}
interface Amount extends Of {
  readonly amount: bigint;
}
interface Two extends Of {
  readonly other: number;
}
interface Found {
  readonly balance: bigint;
  readonly writes: bigint;
}

function required(row: Found | undefined): Found {
  if (row === undefined) throw new Error('there is no such account');
  return row;
}

const tooFew = { declined: 'insufficient-funds' };
const ofSavings = ({ balance, writes }: Found) => ({ savings_balance: balance, savings_writes: writes });
const ofChecking = ({ balance, writes }: Found) => ({ checking_balance: balance, checking_writes: writes });
const ofOther = ({ balance, writes }: Found) => ({ other_balance: balance, other_writes: writes });

/** Prepared queries; SQLite has one writer at a time. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const kinds = { savings, checking };
  const [ofSaving, ofCheck] = Object.values(kinds).map((table) => {
    const is = eq(table.id, sql.placeholder('id'));
    const find = db.select().from(table).where(is).prepare();
    const balance = sql`${sql.placeholder('balance')}`;
    const change = db
      .update(table)
      .set({ balance, writes: sql`${table.writes} + 1` })
      .where(is)
      .prepare();
    return {
      find: (id: number) => required(find.get({ id })),
      change: (id: number, to: bigint) => change.run({ id, balance: to }),
    };
  });
  if (ofSaving === undefined || ofCheck === undefined) throw new Error('there are two kinds of accounts');
  return {
    balance: ({ id }: Of) =>
      db.transaction(() => ({
        fields: { ...ofSavings(ofSaving.find(id)), ...ofChecking(ofCheck.find(id)) },
      })),
    deposit_checking: atomic(db, ({ id, amount }: Amount) => {
      const found = ofCheck.find(id);
      ofCheck.change(id, found.balance + amount);
      return { fields: ofChecking(found) };
    }),
    transact_savings: atomic(db, ({ id, amount }: Amount) => {
      const found = ofSaving.find(id);
      if (found.balance < amount) return tooFew;
      ofSaving.change(id, found.balance - amount);
      return { fields: ofSavings(found) };
    }),
    write_check: atomic(db, ({ id, amount }: Amount) => {
      const [saved, found] = [ofSaving.find(id), ofCheck.find(id)];
      const penalty = saved.balance + found.balance < amount ? 1n : 0n;
      ofCheck.change(id, found.balance - amount - penalty);
      return { fields: { ...ofSavings(saved), ...ofChecking(found) } };
    }),
    amalgamate: atomic(db, ({ id, other }: Two) => {
      const [saved, found, to] = [ofSaving.find(id), ofCheck.find(id), ofCheck.find(other)];
      ofSaving.change(id, 0n);
      ofCheck.change(id, 0n);
      ofCheck.change(other, to.balance + saved.balance + found.balance);
      return { fields: { ...ofSavings(saved), ...ofChecking(found), ...ofOther(to) } };
    }),
    send_payment: atomic(db, ({ id, other, amount }: Two & Amount) => {
      const [found, to] = [ofCheck.find(id), ofCheck.find(other)];
      if (found.balance < amount) return tooFew;
      ofCheck.change(id, found.balance - amount);
      ofCheck.change(other, to.balance + amount);
      return { fields: { ...ofChecking(found), ...ofOther(to) } };
    }),
  };
});
