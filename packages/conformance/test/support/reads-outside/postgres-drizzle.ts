import type { PoolClient } from 'pg';

interface Writes {
  readonly id?: bigint;
  readonly first: number;
  readonly second: number;
}

/** Reads first, outside of any transaction, and then begins one for its writes: the level of that one protects neither. */
function bind(client: PoolClient) {
  const read = async (item: number) => {
    const { rows } = await client.query<{ version: string; writer: string }>(
      'SELECT version, writer FROM fair_bench.item WHERE id = $1',
      [item],
    );
    return rows[0];
  };

  async function carryOut({ id = -1n, first, second }: Writes, times: number, writesSecond: boolean) {
    if (first === second) return { declined: 'same-item' };
    const [a, b] = [await read(first), await read(second)];
    if (a === undefined || b === undefined) return { declined: 'missing-item' };
    const writes = [
      ...Array.from({ length: times }, (_, step) => ({
        item: first,
        version: BigInt(a.version) + BigInt(step + 1),
      })),
      ...(writesSecond ? [{ item: second, version: BigInt(b.version) + 1n }] : []),
    ].toSorted((one, other) => one.item - other.item);
    await client.query('BEGIN');
    try {
      for (const { item, version } of writes) {
        const statement = 'UPDATE fair_bench.item SET version = $2, writer = $3 WHERE id = $1';
        await client.query(statement, [item, version, id]);
      }
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
    return { fields: { a_version: a.version, a_writer: a.writer, b_version: b.version, b_writer: b.writer } };
  }

  return {
    read_both: (two: Writes) => carryOut(two, 0, false),
    write_first: (writes: Writes) => carryOut(writes, 1, false),
    write_both: (writes: Writes) => carryOut(writes, 1, true),
    write_twice: (writes: Writes) => carryOut(writes, 2, false),
  };
}

export default { workload: 'isolation', bind };
