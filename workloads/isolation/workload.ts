import {
  add,
  defineWorkload,
  equal,
  found,
  key,
  missing,
  operation,
  row,
  set,
  table,
  uniform,
  version,
  writer,
} from '@fair-bench/workload';

const two = { first: key('item', uniform()), second: key('item', uniform(), { not: 'first' }) };
const rows = { a: row('item', 'first'), b: row('item', 'second') };
const declines = [
  ['same-item', equal('first', 'second')],
  ['missing-item', missing('a')],
  ['missing-item', missing('b')],
] as const;
const returns = {
  a_version: found('a.version'),
  a_writer: found('a.writer'),
  b_version: found('b.version'),
  b_writer: found('b.writer'),
};
const reading = { arguments: two, rows, declines, returns };
const writing = { ...reading, arguments: { id: operation(), ...two } };

/** Two rows in one transaction, read in the order of the arguments; what was read decides what is written. */
export default defineWorkload({
  name: 'isolation',
  about: 'Reads two versions and writes none, one or both, so that the isolation in force shows itself.',
  parameters: {
    items: { type: 'integer', default: 16, min: 2, max: 2 ** 32, about: 'items: fewer meet more often' },
    reads: { type: 'integer', default: 20, min: 0, max: 1_000_000, about: 'weight of reads of two items' },
    skews: { type: 'integer', default: 40, min: 0, max: 1_000_000, about: 'weight of writes of one of two' },
    writes: { type: 'integer', default: 30, min: 0, max: 1_000_000, about: 'weight of writes of both' },
    rewrites: {
      type: 'integer',
      default: 10,
      min: 0,
      max: 1_000_000,
      about: 'weight of writes of one twice',
    },
  },
  tables: {
    item: table({ rows: 'items', key: 'id', columns: { version: version('writer'), writer } }),
  },
  operations: {
    read_both: { weight: 'reads', ...reading },
    write_first: {
      weight: 'skews',
      ...writing,
      effects: [add('a.version', 1), set('a.writer', 'id')],
    },
    write_both: {
      weight: 'writes',
      ...writing,
      effects: [add('a.version', 1), set('a.writer', 'id'), add('b.version', 1), set('b.writer', 'id')],
    },
    write_twice: {
      weight: 'rewrites',
      ...writing,
      effects: [add('a.version', 1), set('a.writer', 'id'), add('a.version', 1), set('a.writer', 'id')],
    },
  },
  axes: { items: { label: 'i', sweep: [16] } },
});
