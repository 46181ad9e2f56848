import { add, defineWorkload, fresh, insert, int64, key, missing } from '@fair-bench/workload';
import { row, table, uniform, uuid } from '@fair-bench/workload';

/** Members that are known by random UUIDs, and their visits by ones that are ordered by time. */
export default defineWorkload({
  name: 'visits',
  about: 'Notes the visits of members; both are known by UUIDs.',
  parameters: {
    members: { type: 'integer', default: 1000, min: 2, max: 2 ** 31, about: 'members' },
  },
  tables: {
    member: table({ rows: 'members', key: 'id', columns: { id: uuid(4), visits: int64(0) } }),
    visit: table({ rows: 0, key: 'id', columns: { id: uuid(7), member: uuid(4) }, indexes: ['member'] }),
  },
  operations: {
    visit: {
      arguments: { id: key('visit', fresh()), member: key('member', uniform()) },
      rows: { m: row('member', 'member') },
      declines: [['unknown', missing('m')]],
      effects: [add('m.visits', 1), insert('visit', { id: 'id', member: 'member' })],
    },
    look: { arguments: { member: key('member', uniform()) }, returns: row('member', 'member') },
  },
});
