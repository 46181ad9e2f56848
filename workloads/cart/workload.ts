import {
  add,
  defineWorkload,
  insertIfMissing,
  int64,
  integer,
  key,
  row,
  scan,
  set,
  table,
  text,
  uniform,
} from '@fair-bench/workload';

/** Every cart begins with product 0; a further product is a new line at first, and more of an old one afterwards. */
export default defineWorkload({
  name: 'cart',
  about:
    'Puts products into carts and shows carts; each quantity is counted, whether its line was there or not.',
  parameters: {
    carts: { type: 'integer', default: 1000, min: 1, max: 2 ** 32, about: 'carts' },
    products: {
      type: 'integer',
      default: 50,
      min: 1,
      max: 2 ** 31,
      about: 'products that are put into carts',
    },
    puts: { type: 'integer', default: 50, min: 0, max: 1_000_000, about: 'weight of products that are put' },
    views: { type: 'integer', default: 50, min: 0, max: 1_000_000, about: 'weight of carts that are shown' },
    lines: { type: 'integer', default: 20, min: 1, max: 65_536, about: 'most lines that are shown' },
  },
  tables: {
    item: table({
      rows: ['carts', 1],
      key: ['cart', 'product'],
      columns: { quantity: int64(1), note: text(24) },
    }),
  },
  operations: {
    put: {
      weight: 'puts',
      arguments: {
        cart: key('item.cart', uniform()),
        product: integer(uniform(0, 'products')),
        quantity: int64(uniform(1, 9)),
        note: text(24),
      },
      rows: { i: row('item', ['cart', 'product']) },
      effects: [
        insertIfMissing('item', { cart: 'cart', product: 'product', quantity: 0, note: 'note' }),
        add('i.quantity', 'quantity'),
        set('i.note', 'note'),
      ],
    },
    view: {
      weight: 'views',
      arguments: {
        cart: key('item.cart', uniform()),
        lines: integer({ kind: 'constant', value: 'lines' }),
      },
      returns: scan('item', { prefix: 'cart', limit: 'lines' }),
    },
  },
  axes: { carts: { label: 'c', sweep: [1000] } },
});
