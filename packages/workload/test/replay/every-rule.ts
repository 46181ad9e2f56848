import {
  add,
  choice,
  defineWorkload,
  each,
  equal,
  exists,
  insert,
  int64,
  integer,
  key,
  less,
  list,
  missing,
  operation,
  returned,
  row,
  scan,
  set,
  table,
  text,
  uniform,
  zipf,
} from '../../src/index.ts';

/**
 * What `everyEffect` lacks: lists, returned fields, chosen columns, keys of two columns, descending scans, every
 * rule.
 */
export const everyRule = defineWorkload({
  name: 'every-rule',
  parameters: {
    shelves: { type: 'integer', default: 12, min: 2, max: 2 ** 32, about: 'shelves' },
    stock: { type: 'integer', default: 1000, min: 0, max: 2 ** 31, about: 'stock of each shelf' },
  },
  tables: {
    shelf: table({
      rows: 'shelves',
      key: 'id',
      columns: { stock: int64('stock'), front: text(32), back: text(32) },
    }),
    slot: table({ rows: ['shelves', 6], key: ['shelf', 'at'], columns: { at: int64, label: text(30) } }),
    sale: table({ rows: 0, key: 'id', columns: { id: int64, total: int64, count: int64 } }),
  },
  operations: {
    sell: {
      weight: 30,
      arguments: {
        id: operation(),
        lines: list(uniform(1, 3), {
          shelf: key('shelf', zipf(0.8), { distinct: true }),
          count: int64(uniform(1, 5)),
        }),
      },
      rows: { s: row('shelf', 'lines.shelf') },
      declines: [
        ['unknown', missing('s')],
        ['too-few', less('s.stock', 'lines.count')],
      ],
      effects: [
        each('lines', add('s.stock', '-lines.count')),
        insert('sale', { id: 'id', total: returned('total'), count: returned('count') }),
      ],
      returns: { total: int64, count: int64 },
    },
    paint: {
      weight: 30,
      arguments: { shelf: key('shelf', zipf(0.8)), side: choice(['front', 'back']), label: text(32) },
      rows: { s: row('shelf', 'shelf') },
      effects: [set('s', { at: 'side', to: 'label' })],
    },
    pin: {
      weight: 15,
      arguments: { shelf: key('shelf', uniform()), at: operation(), label: text(30) },
      rows: { p: row('slot', ['shelf', 'at']) },
      declines: [
        ['forbidden', equal('shelf', 3)],
        ['taken', exists('p')],
      ],
      effects: [insert('slot', { shelf: 'shelf', at: 'at', label: 'label' })],
    },
    top: {
      weight: 15,
      arguments: { shelf: key('shelf', uniform()), limit: integer(uniform(1, 9)) },
      returns: scan('slot', { prefix: ['shelf'], order: 'descending', limit: 'limit' }),
    },
    look: {
      weight: 10,
      arguments: { shelf: key('shelf', uniform()) },
      returns: row('shelf', 'shelf'),
    },
  },
});
