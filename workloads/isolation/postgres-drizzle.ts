import { bindPostgres, ourSchema } from '@fair-bench/connector-postgres/binding';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema } from 'drizzle-orm/pg-core';
import workload from './workload.ts';

const item = pgSchema(ourSchema()).table('item', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  version: bigint('version', { mode: 'bigint' }).notNull(),
  writer: bigint('writer', { mode: 'bigint' }).notNull(),
});
const isItem = eq(item.id, sql.placeholder('item'));
const written = {
  version: sql`${sql.placeholder('version')}::bigint`,
  writer: sql`${sql.placeholder('writer')}::bigint`,
};

interface Two {
  readonly first: number;
  readonly second: number;
}
interface Writes extends Two {
  readonly id: bigint;
}

/** A transaction that reads two items, and writes what it read plus 1. Nothing is locked while it is read. */
export default bindPostgres(workload, (client) => {
  const db = drizzle({ client });
  const read = db.select().from(item).where(isItem).prepare('read_item');
  const write = db.update(item).set(written).where(isItem).prepare('write_item');

  /** `times` of the first item, and whether the second is written too. */
  async function carryOut({ first, second }: Two, writer: bigint, times: number, writesSecond: boolean) {
    if (first === second) return { declined: 'same-item' };
    return await db.transaction(async () => {
      const [a] = await read.execute({ item: first });
      const [b] = await read.execute({ item: second });
      if (a === undefined || b === undefined) return { declined: 'missing-item' };
      const other = { item: second, version: b.version + 1n, writer };
      // Written in the order of the ids: opposite writes cannot deadlock.
      if (writesSecond && second < first) await write.execute(other);
      for (let step = 1; step <= times; step += 1) {
        await write.execute({ item: first, version: a.version + BigInt(step), writer });
      }
      if (writesSecond && second > first) await write.execute(other);
      return {
        fields: { a_version: a.version, a_writer: a.writer, b_version: b.version, b_writer: b.writer },
      };
    });
  }

  return {
    read_both: (two: Two) => carryOut(two, -1n, 0, false),
    write_first: (writes: Writes) => carryOut(writes, writes.id, 1, false),
    write_both: (writes: Writes) => carryOut(writes, writes.id, 1, true),
    write_twice: (writes: Writes) => carryOut(writes, writes.id, 2, false),
  };
});
