import { atomic, bindSqlite, drizzleNodeSqlite, int64 } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { customType, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const since = customType<{ data: bigint; driverData: bigint }>({ dataType: () => 'integer' })('gold_since');
const columns = {
  id: integer().primaryKey(),
  name: text().notNull(),
  points: int64(),
  since,
  writes: int64(),
};
const member = sqliteTable('member', columns);
const isNamed = eq(member.name, sql.placeholder('name'));

export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const find = db.select().from(member).where(isNamed).prepare();
  const earn = atomic(db, ({ name, amount }: { readonly name: string; readonly amount: bigint }) => {
    const [found] = find.all({ name });
    if (found === undefined) throw new Error(`no member is called ${name}`);
    const points = found.points + amount;
    const gold = points >= 500_00n ? (found.since ?? BigInt(Date.now()) * 1000n) : null;
    const changed = { points, since: gold, writes: found.writes + 1n };
    db.update(member).set(changed).where(eq(member.id, found.id)).run();
    return { fields: { id: found.id, points, writes: found.writes, gold_since: gold ?? -(2n ** 63n) } };
  });
  return { earn };
});
