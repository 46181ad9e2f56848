import {
  add,
  byParameter,
  choice,
  defineWorkload,
  fieldNames,
  fields,
  fresh,
  insert,
  int64,
  integer,
  key,
  latest,
  mixes,
  row,
  scan,
  set,
  table,
  text,
  uniform,
  ycsbZipf,
  zipf,
} from '@fair-bench/workload';

const value = text(100);
/** Hot records lie all over the table, as in YCSB. */
const spread = zipf(0.99, { scramble: true });
const byMix = byParameter('mix', {
  a: spread,
  b: spread,
  c: spread,
  d: latest(),
  e: spread,
  f: spread,
  load: spread,
});
const keys = byParameter('keys', {
  'by-mix': byMix,
  zipf: spread,
  'ycsb-zipf': ycsbZipf(0.99),
  uniform: uniform(),
  latest: latest(),
});
const record = key('usertable', keys);
const change = {
  arguments: { id: record, field: choice(fieldNames(10)), value },
  rows: { r: row('usertable', 'id') },
};
const write = set('r', { at: 'field', to: 'value' });
const values = Object.fromEntries(fieldNames(10).map((name) => [name, name]));

/** YCSB's core workloads. `rmws` is ours: it counts the read-modify-writes of a record, so that none can be lost unseen. */
export default defineWorkload({
  name: 'ycsb',
  about: 'YCSB’s core workloads A to F; every record that is read must be right, and no write may be lost.',
  parameters: {
    mix: {
      type: 'choice',
      default: 'a',
      options: ['a', 'b', 'c', 'd', 'e', 'f', 'load'],
      about: 'YCSB’s core workload; load: inserts alone',
    },
    records: { type: 'integer', default: 100_000, min: 1, max: 2 ** 32, about: 'records of 10 × 100 bytes' },
    keys: {
      type: 'choice',
      default: 'by-mix',
      options: ['by-mix', 'zipf', 'ycsb-zipf', 'uniform', 'latest'],
      about: 'how records are chosen; by-mix: latest for d, else zipf',
    },
  },
  tables: {
    usertable: table({ rows: 'records', key: 'id', columns: { rmws: int64(0), ...fields(10, value) } }),
  },
  weights: mixes('mix', {
    a: { read: 50, update: 50 },
    b: { read: 95, update: 5 },
    c: { read: 100 },
    d: { read: 95, insert: 5 },
    e: { scan: 95, insert: 5 },
    f: { read: 50, rmw: 50 },
    load: { insert: 100 },
  }),
  operations: {
    read: { arguments: { id: record }, returns: row('usertable', 'id') },
    update: { ...change, effects: [write] },
    insert: {
      arguments: { id: key('usertable', fresh()), ...fields(10, value) },
      effects: [insert('usertable', { id: 'id', rmws: 0, ...values })],
    },
    scan: {
      arguments: { from: record, records: integer(uniform(1, 100)) },
      returns: scan('usertable', { from: 'from', limit: 'records' }),
    },
    rmw: { ...change, effects: [add('r.rmws', 1), write], returns: row('usertable', 'id') },
  },
  axes: {
    mix: { label: 'm', sweep: ['a', 'b', 'c'] },
    keys: { label: 'k', sweep: ['by-mix'] },
    records: { label: 'r', sweep: [100_000] },
  },
});
