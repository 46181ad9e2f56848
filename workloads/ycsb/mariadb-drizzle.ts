import { bindMariadb } from '@fair-bench/connector-mariadb/binding';
import { fieldNames } from '@fair-bench/workload';
import { eq, gte, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import { bigint, mysqlSchema, text } from 'drizzle-orm/mysql-core';
import workload from './workload.ts';

const field = () => text().notNull();
const usertable = mysqlSchema('fair_bench').table('usertable', {
  id: bigint({ mode: 'number' }).primaryKey(),
  rmws: bigint({ mode: 'bigint' }).notNull(),
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

/** A statement for each field that is written. A read-modify-write locks the record that it reads. */
export default bindMariadb(workload, (client) => {
  const db = drizzle({ client });
  const read = db.select().from(usertable).where(ofId).prepare();
  const lock = db.select().from(usertable).where(ofId).for('update').prepare();
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
    read: async ({ id }: { readonly id: number }) => ({ rows: await read.execute({ id }) }),
    async update({ field: at, ...change }: Change) {
      await updates[at]?.execute(change);
      return null;
    },
    async insert(record: Readonly<Record<string, unknown>>) {
      await insert.execute(record);
      return null;
    },
    scan: async ({ from, records }: Scan) => ({ rows: await scan.execute({ from, records }) }),
    async rmw({ field: at, ...change }: Change) {
      return await db.transaction(async () => {
        const rows = await lock.execute({ id: change.id });
        await counted[at]?.execute(change);
        return { rows };
      });
    },
  };
});
