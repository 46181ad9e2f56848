import { atomic, bindSql, int64 } from '@fair-bench/sql/embedded/binding';
import workload from './workload.ts';

interface Two {
  readonly first: number;
  readonly second: number;
}
interface Writes extends Two {
  readonly id: bigint;
}

const itemOf = 'SELECT version, writer FROM item WHERE id = $1';
const write = 'UPDATE item SET version = $2, writer = $3 WHERE id = $1';

/** A transaction that reads two items, and writes what it read plus 1. */
export default bindSql(workload, ({ query }) => {
  /** `times` of the first item, and whether the second is written too. */
  async function carryOut({ first, second }: Two, own: bigint, times: bigint, writesSecond: boolean) {
    if (first === second) return { declined: 'same-item' };
    const [a] = await query(itemOf, [first]);
    const [b] = await query(itemOf, [second]);
    if (a === undefined || b === undefined) return { declined: 'missing-item' };
    const [a_version, a_writer] = [int64(a[0]), int64(a[1])];
    const [b_version, b_writer] = [int64(b[0]), int64(b[1])];
    for (let step = 1n; step <= times; step += 1n) await query(write, [first, a_version + step, own]);
    if (writesSecond) await query(write, [second, b_version + 1n, own]);
    return { fields: { a_version, a_writer, b_version, b_writer } };
  }
  return {
    read_both: atomic({ query }, (two: Two) => carryOut(two, -1n, 0n, false)),
    write_first: atomic({ query }, (writes: Writes) => carryOut(writes, writes.id, 1n, false)),
    write_both: atomic({ query }, (writes: Writes) => carryOut(writes, writes.id, 1n, true)),
    write_twice: atomic({ query }, (writes: Writes) => carryOut(writes, writes.id, 2n, false)),
  };
});
