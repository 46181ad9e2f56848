import { atomic, bindSqlite, drizzleNodeSqlite, int64 } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { uuidBytes } from '@fair-bench/workload';
import { eq, sql } from 'drizzle-orm';
import { blob, sqliteTable } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const uuid = () => blob({ mode: 'buffer' });
const member = sqliteTable('member', { id: uuid().primaryKey(), visits: int64() });
const visit = sqliteTable('visit', { id: uuid().primaryKey(), member: uuid().notNull() });
const isMember = eq(member.id, sql.placeholder('member'));

interface Given {
  readonly id: number;
  readonly member: number;
}

export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const count = db
    .update(member)
    .set({ visits: sql`${member.visits} + 1` })
    .where(isMember)
    .prepare();
  const find = db.select().from(member).where(isMember).prepare();
  return {
    visit: atomic(db, (given: Given) => {
      const of = uuidBytes(4, given.member);
      if (Number(count.run({ member: of }).changes) === 0) return { declined: 'unknown' };
      db.insert(visit)
        .values({ id: uuidBytes(7, given.id), member: of })
        .run();
      return null;
    }),
    look: atomic(db, (given: Pick<Given, 'member'>) => {
      const found = find.get({ member: uuidBytes(4, given.member) });
      return found === undefined ? { rows: [] } : { rows: [{ id: given.member, visits: found.visits }] };
    }),
  };
});
