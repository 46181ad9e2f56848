import {
  add,
  defineWorkload,
  equal,
  int64,
  key,
  less,
  missing,
  row,
  table,
  uniform,
  zipf,
} from '@fair-bench/workload';

export default defineWorkload({
  name: 'transfer',
  about: 'Moves money between two accounts at a time; every balance must come out right.',
  parameters: {
    accounts: { type: 'integer', default: 100_000, min: 2, max: 2 ** 32, about: 'accounts' },
    initialBalance: {
      type: 'int64',
      default: '1000000000',
      min: '0',
      max: '9223372036854775807',
      about: 'initial balance of each account',
    },
    alpha: {
      type: 'number',
      default: 0.5,
      min: 0,
      // Beyond it the second-hottest account is the source of less than one transfer in 2^32.
      max: 32,
      about: 'exponent of the Zipf distribution; 0 is uniform',
    },
    scramble: {
      type: 'boolean',
      default: true,
      about: 'whether account ids are a seeded permutation of the ranks',
    },
    // Amounts vary, so that two mistakes that cancel out at a constant amount are visible in the audit.
    amountMax: {
      type: 'integer',
      default: 1000,
      min: 1,
      max: 2 ** 21,
      about: 'largest amount, from 1',
    },
  },
  tables: {
    account: table({ rows: 'accounts', key: 'id', columns: { balance: int64('initialBalance') } }),
  },
  operations: {
    transfer: {
      arguments: {
        source: key('account', zipf('alpha', { scramble: 'scramble' })),
        target: key('account', zipf('alpha', { scramble: 'scramble' }), { not: 'source' }),
        amount: int64(uniform(1, 'amountMax')),
      },
      rows: { from: row('account', 'source'), to: row('account', 'target') },
      declines: [
        ['non-positive-amount', less('amount', 1)],
        ['same-account', equal('source', 'target')],
        ['missing-account', missing('from')],
        ['missing-account', missing('to')],
        ['insufficient-funds', less('from.balance', 'amount')],
      ],
      effects: [add('from.balance', '-amount'), add('to.balance', 'amount')],
    },
  },
  axes: { alpha: { label: 'a', factor: 'contention', sweep: [0.5, 1.5] } },
});
