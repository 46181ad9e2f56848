import { atomic, bindSqlite, drizzleNodeSqlite, int64 } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const branch = sqliteTable('branch', { bid: integer().primaryKey(), bbalance: int64() });
const teller = sqliteTable('teller', { tid: integer().primaryKey(), tbalance: int64() });
const account = sqliteTable('account', {
  aid: integer().primaryKey(),
  abalance: int64(),
  filler: text().notNull(),
});
const history = sqliteTable('history', {
  id: int64(),
  tid: integer().notNull(),
  bid: integer().notNull(),
  aid: integer().notNull(),
  delta: int64(),
  filler: text().notNull(),
});

interface Transaction {
  readonly id: bigint;
  readonly aid: number;
  readonly tid: number;
  readonly bid: number;
  readonly delta: bigint;
  readonly filler: string;
}

const at = sql.placeholder;

/** pgbench's statements in its order; the account is read before its change. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const find = db
    .select()
    .from(account)
    .where(eq(account.aid, at('aid')))
    .prepare();
  const changeAccount = db
    .update(account)
    .set({ abalance: sql`${account.abalance} + ${at('delta')}` })
    .where(eq(account.aid, at('aid')))
    .prepare();
  const changeTeller = db
    .update(teller)
    .set({ tbalance: sql`${teller.tbalance} + ${at('delta')}` })
    .where(eq(teller.tid, at('tid')))
    .prepare();
  const changeBranch = db
    .update(branch)
    .set({ bbalance: sql`${branch.bbalance} + ${at('delta')}` })
    .where(eq(branch.bid, at('bid')))
    .prepare();
  const enter = db
    .insert(history)
    .values({
      id: at('id'),
      tid: at('tid'),
      bid: at('bid'),
      aid: at('aid'),
      delta: at('delta'),
      filler: at('filler'),
    })
    .prepare();
  return {
    transact: atomic(db, ({ id, aid, tid, bid, delta, filler }: Transaction) => {
      const rows = find.all({ aid });
      changeAccount.run({ aid, delta });
      changeTeller.run({ tid, delta });
      changeBranch.run({ bid, delta });
      enter.run({ id, tid, bid, aid, delta, filler });
      return { rows };
    }),
  };
});
