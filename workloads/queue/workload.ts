import {
  defineWorkload,
  first,
  found,
  fresh,
  insert,
  key,
  missing,
  remove,
  table,
  text,
} from '@fair-bench/workload';

/** A key that is drawn anew is larger than those before it, so that the first job is about the oldest. */
export default defineWorkload({
  name: 'queue',
  about:
    'Adds jobs to a queue and takes the oldest that is free; every job must be done once, by one worker.',
  parameters: {
    jobs: { type: 'integer', default: 1000, min: 0, max: 2 ** 32, about: 'jobs that wait at the beginning' },
    enqueues: {
      type: 'integer',
      default: 50,
      min: 0,
      max: 1_000_000,
      about: 'weight of jobs that are added',
    },
    takes: { type: 'integer', default: 50, min: 0, max: 1_000_000, about: 'weight of jobs that are taken' },
  },
  tables: {
    job: table({ rows: 'jobs', key: 'id', columns: { payload: text(100) } }),
  },
  operations: {
    enqueue: {
      weight: 'enqueues',
      arguments: { id: key('job', fresh()), payload: text(100) },
      effects: [insert('job', { id: 'id', payload: 'payload' })],
    },
    take: {
      weight: 'takes',
      rows: { j: first('job') },
      declines: [['empty', missing('j')]],
      effects: [remove('j')],
      returns: { id: found('j.id', key()), payload: found('j.payload', text(100)) },
    },
  },
  axes: { jobs: { label: 'j', sweep: [1000] } },
});
