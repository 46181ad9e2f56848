import { atomic, bindSqlite, drizzleNodeSqlite, int64 } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { fieldNames } from '@fair-bench/workload';
import { eq, gte, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const field = () => text().notNull();
const usertable = sqliteTable('usertable', {
  id: integer().primaryKey(),
  rmws: int64(),
  field0: field(),
  field1: field(),
  field2: field(),
  field3: field(),
  field4: field(),
  field5: field(),
  field6: field(),
  field7: field(),
  field8: field(),
  field9: field(),
});
const ofId = eq(usertable.id, sql.placeholder('id'));
const ofFrom = gte(usertable.id, sql.placeholder('from'));
const values = {
  id: sql.placeholder('id'),
  rmws: 0n,
  field0: sql.placeholder('field0'),
  field1: sql.placeholder('field1'),
  field2: sql.placeholder('field2'),
  field3: sql.placeholder('field3'),
  field4: sql.placeholder('field4'),
  field5: sql.placeholder('field5'),
  field6: sql.placeholder('field6'),
  field7: sql.placeholder('field7'),
  field8: sql.placeholder('field8'),
  field9: sql.placeholder('field9'),
};
const value = sql`${sql.placeholder('value')}`;
const rmws = sql`${usertable.rmws} + 1`;

interface Scan {
  readonly from: number;
  readonly records: number;
}
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
  const updates = fieldNames(10).map((name) =>
    db
      .update(usertable)
      .set({ [name]: value })
      .where(ofId)
      .prepare(),
  );
  const counted = fieldNames(10).map((name) =>
    db
      .update(usertable)
      .set({ rmws, [name]: value })
      .where(ofId)
      .prepare(),
  );

  return {
    read: ({ id }: { readonly id: number }) => ({ rows: read.all({ id }) }),
    update({ field: at, ...change }: Change) {
      updates[at]?.run(change);
      return null;
    },
    insert(record: Readonly<Record<string, unknown>>) {
      insert.run(record);
      return null;
    },
    scan: ({ from, records }: Scan) => ({ rows: scan.all({ from, records }) }),
    rmw: atomic(db, ({ field: at, ...change }: Change) => {
      const rows = read.all({ id: change.id });
      counted[at]?.run(change);
      return { rows };
    }),
  };
});
