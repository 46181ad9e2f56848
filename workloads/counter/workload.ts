import {
  add,
  constant,
  defineWorkload,
  insert,
  int64,
  key,
  operation,
  row,
  scan,
  table,
  text,
  uniform,
} from '@fair-bench/workload';

/** The mix of the public Convex–SpacetimeDB comparison; its GET endpoints have the weight 0. */
export default defineWorkload({
  name: 'counter',
  about: 'Increments counters and inserts messages; every increment and every message must be there once.',
  parameters: {
    counters: { type: 'integer', default: 1000, min: 1, max: 2 ** 32, about: 'counters' },
    senders: { type: 'integer', default: 100, min: 1, max: 2 ** 32, about: 'senders of messages' },
    channels: { type: 'integer', default: 10, min: 1, max: 2 ** 32, about: 'channels of messages' },
    increments: { type: 'integer', default: 70, min: 0, max: 1_000_000, about: 'weight of increments' },
    messages: { type: 'integer', default: 30, min: 0, max: 1_000_000, about: 'weight of messages' },
  },
  tables: {
    counter: table({ rows: 'counters', key: 'id', columns: { value: int64(0) } }),
    message: table({
      rows: 0,
      key: 'id',
      columns: { id: int64, sender: key, channel: key, body: text(50) },
    }),
  },
  operations: {
    increment: {
      weight: 'increments',
      arguments: { counter: key('counter', uniform()) },
      rows: { c: row('counter', 'counter') },
      effects: [add('c.value', 1)],
    },
    message: {
      weight: 'messages',
      arguments: {
        id: operation(),
        sender: key(uniform('senders')),
        channel: key(uniform('channels')),
        body: text(50),
      },
      effects: [insert('message', { id: 'id', sender: 'sender', channel: 'channel', body: 'body' })],
    },
    counter: {
      weight: 0,
      arguments: { counter: key('counter', uniform()) },
      returns: row('counter', 'counter'),
    },
    messages: {
      weight: 0,
      arguments: { limit: constant(100) },
      returns: scan('message', { order: 'descending', limit: 'limit' }),
      asserts: 'content',
    },
  },
  axes: { counters: { label: 'c', sweep: [1000] } },
});
