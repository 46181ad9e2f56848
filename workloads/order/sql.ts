import { atomic, bindSql, int64 } from '@fair-bench/sql/embedded/binding';
import workload from './workload.ts';

interface Order {
  readonly id: bigint;
  readonly customer: number;
  readonly lines: readonly { readonly item: number; readonly quantity: bigint }[];
}

const take = 'UPDATE stock SET quantity = quantity - $2 WHERE item = $1 RETURNING quantity, price';

export default bindSql(workload, ({ query }) => ({
  place: atomic({ query }, async ({ id, customer, lines }: Order) => {
    let [total, found, isShort] = [0n, 0, false];
    // In the order of the items: of two orders that overlap, one fails at its first statement.
    for (const { item, quantity } of lines.toSorted((a, b) => a.item - b.item)) {
      for (const [left, price] of await query(take, [item, quantity])) {
        found += 1;
        isShort ||= int64(left) < 0n;
        total += quantity * int64(price);
      }
    }
    // A decline rolls back what was taken.
    if (found < lines.length) return { declined: 'unknown-item' };
    if (isShort) return { declined: 'out-of-stock' };
    for (const { item, quantity } of lines) {
      await query('INSERT INTO line VALUES ($1, $2, $3)', [id, item, quantity]);
    }
    await query('INSERT INTO orders VALUES ($1, $2, $3)', [id, customer, total]);
    return { fields: { total } };
  }),
}));
