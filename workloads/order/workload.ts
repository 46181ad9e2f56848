import { add, defineWorkload, each, insert, int64, key, less, list, missing } from '@fair-bench/workload';
import { operation, returned, row, table, uniform, zipf } from '@fair-bench/workload';

const line = { item: key('stock', zipf('skew'), { distinct: true }), quantity: int64(uniform(1, 5)) };

export default defineWorkload({
  name: 'order',
  about: 'Places orders of several items; the stock goes down by what was ordered, and no order is lost.',
  parameters: {
    items: { type: 'integer', default: 1000, min: 5, max: 2 ** 32, about: 'items in stock' },
    stock: { type: 'int64', default: '1000000', min: '0', max: '1000000000', about: 'stock of each item' },
    skew: { type: 'number', default: 0.5, min: 0, max: 32, about: 'Zipf exponent of the items' },
  },
  tables: {
    stock: table({ rows: 'items', key: 'item', columns: { quantity: int64('stock'), price: int64(250) } }),
    orders: table({ rows: 0, key: 'id', columns: { id: int64, customer: key, total: int64 } }),
    line: table({ rows: 0, key: ['order', 'item'], columns: { order: int64, quantity: int64 } }),
  },
  operations: {
    place: {
      arguments: { id: operation(), customer: key(uniform(100)), lines: list(uniform(1, 5), line) },
      rows: { s: row('stock', 'lines.item') },
      declines: [
        ['unknown-item', missing('s')],
        ['out-of-stock', less('s.quantity', 'lines.quantity')],
      ],
      effects: [
        each('lines', add('s.quantity', '-lines.quantity')),
        each('lines', insert('line', { order: 'id', item: 'lines.item', quantity: 'lines.quantity' })),
        insert('orders', { id: 'id', customer: 'customer', total: returned('total') }),
      ],
      returns: { total: int64 },
    },
  },
});
