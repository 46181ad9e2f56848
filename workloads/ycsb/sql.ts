import { atomic, bindSql, named } from '@fair-bench/sql/embedded/binding';
import { fieldNames } from '@fair-bench/workload';
import workload from './workload.ts';

const fields = fieldNames(10);
const columns = ['id', 'rmws', ...fields];
const select = `SELECT ${columns.join(', ')} FROM usertable`;
const insert = `INSERT INTO usertable VALUES ($1, 0, ${fields.map((_, place) => `$${place + 2}`).join(', ')})`;
const updates = fields.map((field) => `UPDATE usertable SET ${field} = $2 WHERE id = $1`);
const counted = fields.map((field) => `UPDATE usertable SET ${field} = $2, rmws = rmws + 1 WHERE id = $1`);

interface Change {
  readonly id: number;
  /** Its number. */
  readonly field: number;
  readonly value: string;
}
interface Scan {
  readonly from: number;
  readonly records: number;
}

/** A statement for each field that is written. */
export default bindSql(workload, ({ query }) => {
  const recordOf = async (id: number) => named(await query(`${select} WHERE id = $1`, [id]), ...columns);
  return {
    read: async ({ id }: { readonly id: number }) => ({ rows: await recordOf(id) }),
    async update({ id, field, value }: Change) {
      await query(updates[field] ?? '', [id, value]);
      return null;
    },
    async insert(record: Readonly<Record<string, number | string>>) {
      await query(
        insert,
        ['id', ...fields].map((column) => record[column] ?? ''),
      );
      return null;
    },
    scan: async ({ from, records }: Scan) => ({
      rows: named(await query(`${select} WHERE id >= $1 ORDER BY id LIMIT $2`, [from, records]), ...columns),
    }),
    rmw: atomic({ query }, async ({ id, field, value }: Change) => {
      const rows = await recordOf(id);
      await query(counted[field] ?? '', [id, value]);
      return { rows };
    }),
  };
});
