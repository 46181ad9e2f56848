import {
  add,
  defineWorkload,
  fresh,
  insert,
  int64,
  key,
  latest,
  missing,
  remove,
  row,
  scan,
  set,
  table,
  text,
  uniform,
  zipf,
} from '@fair-bench/workload';

const some = () => key('sbtest', zipf('skew', { scramble: true }));

/**
 * The statements of sysbench's `oltp_read_write`, in its shares: of 20, 10 points, 4 ranges of 100 rows, 2 updates, and a row that is deleted
 * and inserted. Each is a transaction of its own, as with `--skip-trx`, so that each can be audited.
 */
export default defineWorkload({
  name: 'oltp',
  about: 'Points, ranges, updates, inserts and deletes in the shares of sysbench’s oltp_read_write.',
  parameters: {
    rows: { type: 'integer', default: 100_000, min: 200, max: 2 ** 32, about: 'rows of the table' },
    range: { type: 'integer', default: 100, min: 1, max: 10_000, about: 'rows of a range' },
    skew: { type: 'number', default: 0, min: 0, max: 32, about: 'Zipf exponent of the keys; 0 is uniform' },
  },
  tables: {
    sbtest: table({ rows: 'rows', key: 'id', columns: { k: int64(0), c: text(120), pad: text(60) } }),
    // What is inserted is deleted again, in a table of its own: rows that are deleted are not read or changed beside it.
    entry: table({ rows: 0, key: 'id', columns: { id: key, k: int64, c: text(120), pad: text(60) } }),
  },
  operations: {
    point: { weight: 10, arguments: { id: some() }, returns: row('sbtest', 'id') },
    range: {
      weight: 4,
      arguments: { id: key('sbtest', uniform()), limit: key(uniform('range', 'range')) },
      returns: scan('sbtest', { from: 'id', limit: 'limit' }),
    },
    update_index: {
      weight: 1,
      arguments: { by: int64(uniform(1, 9)), id: some() },
      rows: { r: row('sbtest', 'id') },
      effects: [add('r.k', 'by')],
    },
    update_text: {
      weight: 1,
      arguments: { c: text(120), id: some() },
      rows: { r: row('sbtest', 'id') },
      effects: [set('r.c', 'c')],
    },
    insert_row: {
      weight: 1,
      arguments: { id: key('entry', fresh()), k: int64(uniform(1, 9)), c: text(120), pad: text(60) },
      effects: [insert('entry', { id: 'id', k: 'k', c: 'c', pad: 'pad' })],
    },
    delete_row: {
      weight: 1,
      arguments: { id: key('entry', latest()) },
      rows: { e: row('entry', 'id') },
      declines: [['unknown', missing('e')]],
      effects: [remove('e')],
    },
  },
  axes: { skew: { label: 's', factor: 'contention', sweep: [0] } },
});
