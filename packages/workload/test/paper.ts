import {
  add,
  byParameter,
  bytes,
  chosenRows,
  choice,
  constant,
  defineWorkload,
  each,
  equal,
  exists,
  fieldNames,
  fields,
  fresh,
  insert,
  int64,
  integer,
  key,
  latest,
  less,
  list,
  missing,
  mixes,
  operation,
  returned,
  row,
  scan,
  set,
  table,
  text,
  unchecked,
  uniform,
  ycsbZipf,
  zipf,
} from '../src/index.ts';

/** Workloads that a description must be able to express. */
const ids = () =>
  key(
    'usertable',
    byParameter('keys', { zipf: zipf(0.99), ycsb: ycsbZipf(0.99), uniform: uniform(), latest: latest() }),
  );

const ofUser = { rows: { r: row('usertable', 'id') } };

export const ycsb = defineWorkload({
  name: 'ycsb',
  parameters: {
    records: { type: 'integer', default: 1000, min: 1, max: 2 ** 32, about: 'records' },
    mix: { type: 'choice', default: 'a', options: ['a', 'b', 'c', 'd', 'e', 'f'], about: 'YCSB’s workload' },
    keys: { type: 'choice', default: 'zipf', options: ['zipf', 'ycsb', 'uniform', 'latest'], about: 'keys' },
  },
  tables: {
    usertable: table({
      rows: 'records',
      key: 'id',
      columns: { version: int64(0), ...fields(10, text(100)) },
    }),
  },
  weights: mixes('mix', {
    a: { read: 50, update: 50 },
    b: { read: 95, update: 5 },
    c: { read: 100 },
    d: { read: 95, insert: 5 },
    e: { scan: 95, insert: 5 },
    f: { read: 50, rmw: 50 },
  }),
  operations: {
    read: { arguments: { id: ids() }, returns: row('usertable', 'id') },
    update: {
      arguments: { id: ids(), field: choice(fieldNames(10)), value: text(100) },
      ...ofUser,
      effects: [set('r', { at: 'field', to: 'value' })],
    },
    insert: {
      arguments: { id: key('usertable', fresh()), ...fields(10, text(100)) },
      effects: [
        insert('usertable', {
          id: 'id',
          version: 0,
          ...Object.fromEntries(fieldNames(10).map((name) => [name, name])),
        }),
      ],
    },
    scan: {
      arguments: { from: ids(), limit: integer(uniform(1, 100)) },
      returns: scan('usertable', { from: 'from', limit: 'limit' }),
    },
    rmw: {
      arguments: { id: ids(), field: choice(fieldNames(10)), value: text(100) },
      ...ofUser,
      effects: [add('r.version', 1), set('r', { at: 'field', to: 'value' })],
      returns: row('usertable', 'id'),
    },
  },
});

export const pointRead = defineWorkload({
  name: 'point-read',
  parameters: { rows: { type: 'integer', default: 1000, min: 1, max: 2 ** 32, about: 'rows' } },
  tables: { row: table({ rows: 'rows', key: 'id', columns: { value: bytes(64) } }) },
  operations: { read: { arguments: { id: key('row', uniform()) }, returns: row('row', 'id') } },
});

export const order = defineWorkload({
  name: 'order',
  parameters: {
    customers: { type: 'integer', default: 100, min: 1, max: 2 ** 32, about: 'customers' },
    items: { type: 'integer', default: 1000, min: 5, max: 2 ** 32, about: 'items in stock' },
    linesMax: { type: 'integer', default: 5, min: 1, max: 5, about: 'most lines of an order' },
    alpha: { type: 'number', default: 0.5, min: 0, max: 32, about: 'skew of the items' },
  },
  tables: {
    stock: table({ rows: 'items', key: 'item', columns: { quantity: int64(100) } }),
    customer: table({ rows: 'customers', key: 'id' }),
    order: table({
      rows: 0,
      key: 'id',
      columns: { id: int64, customer: key, total: int64, placed_at: int64 },
      indexes: ['customer'],
    }),
    line: table({ rows: 0, key: ['order', 'item'], columns: { order: int64, quantity: int64 } }),
  },
  operations: {
    place: {
      arguments: {
        id: operation(),
        customer: key('customer', uniform()),
        lines: list(uniform(1, 'linesMax'), {
          item: key('stock', zipf('alpha'), { distinct: true }),
          quantity: int64(uniform(1, 5)),
        }),
      },
      rows: { s: row('stock', 'lines.item') },
      declines: [
        ['unknown-item', missing('s')],
        ['out-of-stock', less('s.quantity', 'lines.quantity')],
      ],
      effects: [
        each('lines', add('s.quantity', '-lines.quantity')),
        each('lines', insert('line', { order: 'id', item: 'lines.item', quantity: 'lines.quantity' })),
        insert('order', { id: 'id', customer: 'customer', total: returned('total'), placed_at: unchecked }),
      ],
      returns: { total: int64 },
    },
  },
});

export const objects = defineWorkload({
  name: 'objects',
  parameters: { objects: { type: 'integer', default: 100, min: 1, max: 2 ** 32, about: 'objects' } },
  tables: {
    version: table({
      rows: ['objects', 1],
      key: ['object', 'valid_from'],
      columns: { valid_from: int64, recorded_at: int64, body: bytes(100) },
    }),
  },
  operations: {
    write: {
      arguments: { object: key('version.object', uniform()), valid_from: operation(), body: bytes(100) },
      effects: [
        insert('version', {
          object: 'object',
          valid_from: 'valid_from',
          recorded_at: returned('recorded_at'),
          body: 'body',
        }),
      ],
      returns: { recorded_at: int64 },
    },
    batch: {
      arguments: {
        valid_from: operation(),
        objects: list(uniform(1, 5), {
          object: key('version.object', uniform(), { distinct: true }),
          body: bytes(100),
        }),
      },
      effects: [
        each(
          'objects',
          insert('version', {
            object: 'objects.object',
            valid_from: 'valid_from',
            recorded_at: unchecked,
            body: 'objects.body',
          }),
        ),
      ],
    },
    correct: {
      arguments: {
        object: key('version.object', uniform()),
        valid_from: int64(uniform(0, 20)),
        body: bytes(100),
      },
      rows: { v: row('version', ['object', 'valid_from']) },
      declines: [['duplicate', exists('v')]],
      effects: [
        insert('version', {
          object: 'object',
          valid_from: 'valid_from',
          recorded_at: unchecked,
          body: 'body',
        }),
      ],
    },
    as_of: {
      arguments: {
        object: key('version.object', uniform()),
        at: int64(uniform(0, 2 ** 31)),
        limit: constant(1),
      },
      returns: scan('version', {
        prefix: 'object',
        from: ['object', 'at'],
        order: 'descending',
        limit: 'limit',
      }),
    },
  },
});

export const feed = defineWorkload({
  name: 'feed',
  parameters: { users: { type: 'integer', default: 100, min: 2, max: 2 ** 32, about: 'users' } },
  tables: {
    follow: table({
      rows: ['users', 20],
      key: ['user', 'place'],
      columns: { followed: key(uniform('users')) },
    }),
    post: table({ rows: 0, key: 'id', columns: { id: int64, author: key, body: text(140) } }),
  },
  operations: {
    publish: {
      weight: 10,
      arguments: { id: operation(), author: key('follow.user', uniform()), body: text(140) },
      effects: [insert('post', { id: 'id', author: 'author', body: 'body' })],
    },
    timeline: {
      weight: 90,
      arguments: { user: key('follow.user', uniform()) },
      returns: chosenRows('post', 50),
      asserts: 'content',
    },
    befriend: {
      weight: 0,
      arguments: {
        user: key('follow.user', uniform()),
        other: key('follow.user', uniform(), { not: 'user' }),
      },
      declines: [['same-user', equal('user', 'other')]],
    },
  },
});

export const papers = [ycsb, pointRead, order, objects, feed];

/** Names rows by keys that are no keys of their table. */
export const strays = defineWorkload({
  name: 'strays',
  tables: { card: table({ rows: 4, key: 'id', columns: { stamps: int64(0) } }) },
  operations: {
    stamp: {
      arguments: { id: key(uniform(0, 3)) },
      rows: { c: row('card', 'id') },
      effects: [add('c.stamps', 1)],
    },
    both: {
      arguments: { id: key('card', uniform()), other: key(uniform(0, 3)) },
      rows: { c: row('card', 'id'), o: row('card', 'other') },
      effects: [add('c.stamps', 1), add('o.stamps', 1)],
    },
  },
});

/** Rows that are inserted and read, and never changed. */
export const notes = defineWorkload({
  name: 'notes',
  parameters: {},
  tables: { note: table({ rows: 1, key: 'id', columns: { body: text(32) } }) },
  operations: {
    write: {
      arguments: { id: key('note', fresh()), body: text(32) },
      effects: [insert('note', { id: 'id', body: 'body' })],
    },
    look: { arguments: { id: key('note', latest()) }, returns: row('note', 'id') },
  },
});
