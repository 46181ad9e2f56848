import {
  applies,
  bindSqlite,
  drizzleNodeSqlite,
  int64,
  returnsRows,
} from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { asc, eq, gte, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const columns = {
  id: integer().primaryKey(),
  k: int64(),
  c: text().notNull(),
  pad: text().notNull(),
};
const sbtest = sqliteTable('sbtest', columns);
const entry = sqliteTable('entry', columns);
const at = sql.placeholder;
const isRow = eq(sbtest.id, at('id'));

/** One prepared query for each operation. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const remove = db
    .delete(entry)
    .where(eq(entry.id, at('id')))
    .prepare();
  return {
    point: returnsRows(db.select().from(sbtest).where(isRow).prepare()),
    range: returnsRows(
      db
        .select()
        .from(sbtest)
        .where(gte(sbtest.id, at('id')))
        .orderBy(asc(sbtest.id))
        .limit(at('limit'))
        .prepare(),
    ),
    update_index: applies(
      db
        .update(sbtest)
        .set({ k: sql`${sbtest.k} + ${at('by')}` })
        .where(isRow)
        .prepare(),
    ),
    update_text: applies(
      db
        .update(sbtest)
        .set({ c: sql`${at('c')}` })
        .where(isRow)
        .prepare(),
    ),
    insert_row: applies(
      db
        .insert(entry)
        .values({ id: at('id'), k: at('k'), c: at('c'), pad: at('pad') })
        .prepare(),
    ),
    delete_row({ id }: { readonly id: number }) {
      return Number(remove.run({ id }).changes) === 0 ? { declined: 'unknown' } : null;
    },
  };
});
