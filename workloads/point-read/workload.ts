import { defineWorkload, key, row, table, text, uniform } from '@fair-bench/workload';

/** The reads of `pgbench -S`: a row has the size of its accounts, and differs from every other, so that each reply can be checked. */
export default defineWorkload({
  name: 'point-read',
  about: 'Reads one row by its primary key; every reply must be the row that was seeded.',
  parameters: {
    rows: {
      type: 'integer',
      default: 100_000,
      min: 1,
      max: 2 ** 32,
      about: 'rows; pgbench’s scale is 100,000 of them',
    },
  },
  tables: { record: table({ rows: 'rows', key: 'id', columns: { value: text(84) } }) },
  operations: {
    read: { arguments: { id: key('record', uniform()) }, returns: row('record', 'id') },
  },
  axes: { rows: { label: 'r', sweep: [100_000] } },
});
