import {
  add,
  defineWorkload,
  insert,
  int64,
  key,
  operation,
  row,
  table,
  text,
  uniform,
} from '@fair-bench/workload';

/** The transaction of pgbench, "TPC-B (sort of)": three balances and an entry. */
export default defineWorkload({
  name: 'tpcb',
  about: 'pgbench’s transaction: an account, its teller and its branch change, and an entry is made.',
  parameters: {
    branches: { type: 'integer', default: 1, min: 1, max: 10_000, about: 'branches (pgbench: scale)' },
    tellers: { type: 'integer', default: 10, min: 1, max: 100_000, about: 'tellers (pgbench: 10 × scale)' },
    accounts: {
      type: 'integer',
      default: 100_000,
      min: 1,
      max: 2 ** 32,
      about: 'accounts (pgbench: 100000 × scale)',
    },
  },
  tables: {
    branch: table({ rows: 'branches', key: 'bid', columns: { bbalance: int64(0), filler: text(88) } }),
    teller: table({ rows: 'tellers', key: 'tid', columns: { tbalance: int64(0), filler: text(84) } }),
    account: table({ rows: 'accounts', key: 'aid', columns: { abalance: int64(0), filler: text(84) } }),
    // pgbench gives it no key. Ours is the operation's number, so that each row can be audited.
    history: table({
      rows: 0,
      key: 'id',
      columns: { id: int64, tid: key, bid: key, aid: key, delta: int64, filler: text(22) },
    }),
  },
  operations: {
    transact: {
      arguments: {
        id: operation(),
        aid: key('account', uniform()),
        tid: key('teller', uniform()),
        bid: key('branch', uniform()),
        delta: int64(uniform(-5000, 5000)),
        filler: text(22),
      },
      rows: { a: row('account', 'aid'), t: row('teller', 'tid'), b: row('branch', 'bid') },
      effects: [
        add('a.abalance', 'delta'),
        add('t.tbalance', 'delta'),
        add('b.bbalance', 'delta'),
        insert('history', { id: 'id', tid: 'tid', bid: 'bid', aid: 'aid', delta: 'delta', filler: 'filler' }),
      ],
      // As it was before: pgbench reads it after its update.
      returns: row('account', 'aid'),
    },
  },
  axes: { accounts: { label: 'n', factor: 'accounts', sweep: [100_000] } },
});
