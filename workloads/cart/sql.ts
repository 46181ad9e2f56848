import { bindSql, named } from '@fair-bench/sql/embedded/binding';
import workload from './workload.ts';

interface Put {
  readonly cart: number;
  readonly product: number;
  readonly quantity: bigint;
  readonly note: string;
}

const upsert = `INSERT INTO item VALUES ($1, $2, $3, $4)
  ON CONFLICT (cart, product) DO UPDATE SET quantity = quantity + excluded.quantity, note = excluded.note`;
const select = 'SELECT cart, product, quantity, note FROM item WHERE cart = $1 ORDER BY product LIMIT $2';

/** Every operation is one prepared statement, which is its own transaction. */
export default bindSql(workload, ({ query }) => ({
  async put({ cart, product, quantity, note }: Put) {
    await query(upsert, [cart, product, quantity, note]);
    return null;
  },
  view: async ({ cart, lines }: { readonly cart: number; readonly lines: number }) => ({
    rows: named(await query(select, [cart, lines]), 'cart', 'product', 'quantity', 'note'),
  }),
}));
