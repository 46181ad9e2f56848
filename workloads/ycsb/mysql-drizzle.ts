import { applies, bindMysql, returnsRows, ourSchema } from '@fair-bench/mysql/binding';
import { fieldNames } from '@fair-bench/workload';
import { eq, gte, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import { bigint, mysqlSchema, text } from 'drizzle-orm/mysql-core';
import workload from './workload.ts';

const names = fieldNames(10);
const fields = Object.fromEntries(names.map((name) => [name, text().notNull()]));
const usertable = mysqlSchema(ourSchema()).table('usertable', {
  id: bigint({ mode: 'number' }).primaryKey(),
  rmws: bigint({ mode: 'bigint' }).notNull(),
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

/** A statement for each field that is written. A read-modify-write locks the record that it reads. */
export default bindMysql(workload, (client) => {
  const db = drizzle({ client });
  const read = db.select().from(usertable).where(ofId).prepare();
  const lock = db.select().from(usertable).where(ofId).for('update').prepare();
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
    async update({ field: at, ...change }: Change) {
      await updates[at]?.execute(change);
      return null;
    },
    insert: applies(insert),
    scan: returnsRows(scan),
    async rmw({ field: at, ...change }: Change) {
      return await db.transaction(async () => {
        const rows = await lock.execute({ id: change.id });
        await counted[at]?.execute(change);
        return { rows };
      });
    },
  };
});
