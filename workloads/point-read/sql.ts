import { bindSql, named } from '@fair-bench/sql/embedded/binding';
import workload from './workload.ts';

const ofId = 'SELECT id, value FROM record WHERE id = $1';

/** One prepared statement, which is its own transaction. */
export default bindSql(workload, ({ query }) => ({
  read: async ({ id }: { readonly id: number }) => ({ rows: named(await query(ofId, [id]), 'id', 'value') }),
}));
