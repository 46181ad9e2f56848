import {
  defineWorkload,
  first,
  found,
  fresh,
  insert,
  key,
  latest,
  missing,
  remove,
  returned,
  row,
  table,
  text,
} from '@fair-bench/workload';

/**
 * A key that is drawn anew is larger than those before it, so that the first job is about the oldest. A job is free, then claimed by one
 * worker, then gone.
 */
export default defineWorkload({
  name: 'queue',
  about:
    'Adds jobs to a queue, claims the oldest that is free and finishes it; every job must be done once, by one worker.',
  parameters: {
    jobs: { type: 'integer', default: 1000, min: 0, max: 2 ** 32, about: 'jobs that wait at the beginning' },
    enqueues: { type: 'integer', default: 1, min: 0, max: 1_000_000, about: 'weight of jobs that are added' },
    claims: { type: 'integer', default: 1, min: 0, max: 1_000_000, about: 'weight of jobs that are claimed' },
    finishes: {
      type: 'integer',
      default: 1,
      min: 0,
      max: 1_000_000,
      about: 'weight of jobs that are finished',
    },
  },
  tables: {
    job: table({ rows: 'jobs', key: 'id', columns: { payload: text(100) } }),
    claimed: table({ rows: 0, key: 'id', columns: { id: key, job: key } }),
  },
  operations: {
    enqueue: {
      weight: 'enqueues',
      arguments: { id: key('job', fresh()), payload: text(100) },
      effects: [insert('job', { id: 'id', payload: 'payload' })],
    },
    claim: {
      weight: 'claims',
      arguments: { claim: key('claimed', fresh()) },
      rows: { j: first('job') },
      declines: [['empty', missing('j')]],
      effects: [remove('j'), insert('claimed', { id: 'claim', job: returned('id') })],
      returns: { id: found('j.id', key()), payload: found('j.payload', text(100)) },
    },
    // One of the session's own claims, the newest ones more often; it may have been declined, or be finished already.
    finish: {
      weight: 'finishes',
      arguments: { claim: key('claimed', latest()) },
      rows: { c: row('claimed', 'claim') },
      declines: [['unknown', missing('c')]],
      effects: [remove('c')],
    },
  },
  axes: { jobs: { label: 'j', sweep: [1000] } },
});
