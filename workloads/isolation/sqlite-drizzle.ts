import { atomic, bindSqlite, drizzleNodeSqlite, int64 } from '@fair-bench/rpc-server-sqlite-drizzle/binding';
import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import workload from './workload.ts';

const item = sqliteTable('item', { id: integer('id').primaryKey(), version: int64(), writer: int64() });
const isItem = eq(item.id, sql.placeholder('item'));
const written = { version: sql`${sql.placeholder('version')}`, writer: sql`${sql.placeholder('writer')}` };

interface Two {
  readonly first: number;
  readonly second: number;
}
interface Writes extends Two {
  readonly id: bigint;
}

/** A transaction that reads two items, and writes what it read plus 1. */
export default bindSqlite(workload, (database) => {
  const db = drizzleNodeSqlite(database);
  const read = db.select().from(item).where(isItem).prepare();
  const write = db.update(item).set(written).where(isItem).prepare();

  /** `times` of the first item, and whether the second is written too. */
  function carryOut({ first, second }: Two, writer: bigint, times: number, writesSecond: boolean) {
    if (first === second) return { declined: 'same-item' };
    const [a] = read.all({ item: first });
    const [b] = read.all({ item: second });
    if (a === undefined || b === undefined) return { declined: 'missing-item' };
    for (let step = 1; step <= times; step += 1) {
      write.run({ item: first, version: a.version + BigInt(step), writer });
    }
    if (writesSecond) write.run({ item: second, version: b.version + 1n, writer });
    return { fields: { a_version: a.version, a_writer: a.writer, b_version: b.version, b_writer: b.writer } };
  }

  return {
    read_both: atomic(db, (two: Two) => carryOut(two, -1n, 0, false)),
    write_first: atomic(db, (writes: Writes) => carryOut(writes, writes.id, 1, false)),
    write_both: atomic(db, (writes: Writes) => carryOut(writes, writes.id, 1, true)),
    write_twice: atomic(db, (writes: Writes) => carryOut(writes, writes.id, 2, false)),
  };
});
