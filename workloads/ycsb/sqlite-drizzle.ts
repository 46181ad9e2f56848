import {
  applies,
  atomic,
  bindSqlite,
  drizzleNodeSqlite,
  int64,
  returnsRows,
} from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { fieldNames } from '@fair-bench/workload';
import { eq, gte, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const names = fieldNames(10);
const fields = Object.fromEntries(names.map((name) => [name, text().notNull()]));
const usertable = sqliteTable('usertable', {
  id: integer().primaryKey(),
  rmws: int64(),
  ...fields,
});
const ofId = eq(usertable.id, sql.placeholder('id'));
const ofFrom = gte(usertable.id, sql.placeholder('from'));
const values = {
  id: sql.placeholder('id'),
  rmws: 0n,
  ...Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])),
};
const value = sql`${sql.placeholder('value')}`;
const rmws = sql`${usertable.rmws} + 1`;

interface Change {
  readonly id: number;
  /** Its number. */
  readonly field: number;
  readonly value: string;
}

/** A statement for each field that is written. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const read = db.select().from(usertable).where(ofId).prepare();
  const limit = sql.placeholder('records');
  const scan = db.select().from(usertable).where(ofFrom).orderBy(usertable.id).limit(limit).prepare();
  const insert = db.insert(usertable).values(values).prepare();
  const updates = names.map((name) =>
    db
      .update(usertable)
      .set({ [name]: value })
      .where(ofId)
      .prepare(),
  );
  const counted = names.map((name) =>
    db
      .update(usertable)
      .set({ rmws, [name]: value })
      .where(ofId)
      .prepare(),
  );

  return {
    read: returnsRows(read),
    update({ field: at, ...change }: Change) {
      updates[at]?.run(change);
      return null;
    },
    insert: applies(insert),
    scan: returnsRows(scan),
    rmw: atomic(db, ({ field: at, ...change }: Change) => {
      const rows = read.all({ id: change.id });
      counted[at]?.run(change);
      return { rows };
    }),
  };
});
