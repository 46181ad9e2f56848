import { describe, expect, test } from 'vitest';
import queue from '@fair-bench/workloads/queue';
import type { OperationOutcome } from '@fair-bench/contract';
import {
  defineWorkload,
  fresh,
  insert,
  int64,
  key,
  missing,
  remove,
  row,
  table,
  uniform,
  zipf,
} from '../../src/index.ts';
import { acknowledged, lost, lying, reasonOf, trial, truth, type Bench, type Target } from './simulation.ts';

const setting = { description: queue, parameters: { jobs: 40 } };
/** Its jobs run out now and then. */
const hungry = { description: queue, parameters: { jobs: 3, enqueues: 40, claims: 60 } };

describe('a queue', () => {
  test('passes where every job is done once, also where it is empty now and then', async () => {
    expect(await trial(truth, setting)).toMatchObject({ status: 'passed', mismatches: 0 });
    expect(await trial(truth, hungry)).toMatchObject({ status: 'passed', mismatches: 0 });
    // No job is there at first: a claim is declined before any was.
    const empty = { description: queue, parameters: { jobs: 0, enqueues: 10, claims: 90 } };
    expect(await trial(truth, empty)).toMatchObject({ status: 'passed', mismatches: 0 });
  });

  test('with one job that two workers took', async () => {
    let last: OperationOutcome = acknowledged;
    const liar = lying('claim', 20, (call, bench) => {
      const [job = 0] = last.kind === 'applied' && last.reply?.kind === 'fields' ? last.reply.fields : [];
      bench.store.put(1, [Number(call.values[0]), job]);
      return last;
    });
    const remembering = (bench: Bench): Target => {
      const lies = liar(bench);
      return {
        execute(call) {
          const outcome = lies.execute(call);
          if (call.operation === 'claim' && outcome.kind === 'applied') last = outcome;
          return outcome;
        },
      };
    };
    expect(await reasonOf(trial(remembering, setting))).toMatch(
      /^\d+ deleted by two operations\n.*job of .*: operation \d+ of session \d and operation \d+ of session \d/,
    );
  });

  test('with a job that was taken and is still there', async () => {
    const liar = lying('claim', 20, (call, bench) => {
      const outcome = bench.honest(call);
      if (outcome.kind === 'applied' && outcome.reply?.kind === 'fields')
        bench.store.put(0, outcome.reply.fields);
      return outcome;
    });
    expect(await reasonOf(trial(liar, setting))).toMatch(/deleted by two operations|deleted and still there/);
    const back = (bench: Bench): Target => {
      let taken: readonly unknown[] = [];
      return {
        execute(call) {
          const outcome = bench.honest(call);
          if (outcome.kind === 'applied' && outcome.reply?.kind === 'fields') taken = outcome.reply.fields;
          return outcome;
        },
        rows: (number, rows) => (number === 0 ? [...rows, [Number(taken[0]), String(taken[1])]] : rows),
      };
    };
    expect(await reasonOf(trial(back, setting))).toMatch(/^1 deleted and still there\n/);
  });

  test('with a claim that two workers finished', async () => {
    const liar = lying('finish', 3, (call, bench) => {
      const outcome = bench.honest(call);
      return outcome.kind === 'declined' ? acknowledged : outcome;
    });
    expect(await reasonOf(trial(liar, setting))).toMatch(/\d+ deleted by two operations, .*\n.*claimed of /);
  });

  test('with a claim that names another job than its reply', async () => {
    const liar = lying('claim', 20, (call, bench) => {
      const outcome = bench.honest(call);
      if (outcome.kind === 'applied') bench.store.put(1, [Number(call.values[0]), 4_000_000_000]);
      return outcome;
    });
    expect(await reasonOf(trial(liar, setting))).toMatch(
      /^\d+ inserted with other values\n.*claimed \(\d+\)/,
    );
  });

  test('with a job that nobody enqueued', async () => {
    const liar = lying('claim', 20, (call, bench) => {
      const outcome = bench.honest(call);
      if (outcome.kind !== 'applied' || outcome.reply?.kind !== 'fields') return outcome;
      return { ...outcome, reply: { kind: 'fields', fields: outcome.reply.fields.with(0, 4_000_000_000) } };
    });
    expect(await reasonOf(trial(liar, setting))).toMatch(/\d+ deleted and never inserted/);
  });

  test('with a job that vanished', async () => {
    const liar = (bench: Bench): Target => ({
      ...truth(bench),
      after() {
        const [job] = bench.store.rows(0);
        bench.store.remove(0, [job?.[0] ?? 0]);
      },
    });
    expect(await reasonOf(trial(liar, setting))).toMatch(/^1 (rows of job missing|inserted and not there)\n/);
  });

  test('that says it is empty while a job waits', async () => {
    const liar = lying('claim', 10, () => ({ kind: 'declined', reason: 'empty', retries: 0 }));
    expect(await reasonOf(trial(liar, setting))).toMatch(
      /^\d+ declined for a reason that no state of the trial permits\n/,
    );
  });

  test('whose replies were lost: each explains one job that is gone, and no more', async () => {
    const doubtful = lying('claim', 15, (call, bench) => {
      if (call.sequence % 2 === 0) bench.honest(call);
      return lost;
    });
    expect(await reasonOf(trial(doubtful, { ...setting, inDoubtShareMax: 1 }))).toBe('');
    let doubts = 0;
    const loses = (bench: Bench): Target => {
      const lies = lying('claim', 15, (call, current) => {
        current.honest(call);
        doubts += 1;
        return lost;
      })(bench);
      return {
        ...lies,
        after() {
          const [job] = bench.store.rows(0);
          bench.store.remove(0, [job?.[0] ?? 0]);
        },
      };
    };
    const reason = await reasonOf(trial(loses, { ...setting, inDoubtShareMax: 1 }));
    expect(doubts).toBeGreaterThan(0);
    expect(reason).toMatch(/^1 (rows of job missing|inserted and not there)\n/);
  });
});

/** Rows by their keys, deleted by whoever comes first, and new ones. */
const byKey = defineWorkload({
  name: 'by-key',
  parameters: { items: { type: 'integer', default: 60, min: 2, max: 1000, about: 'items' } },
  tables: { item: table({ rows: 'items', key: 'id', columns: { count: int64(uniform(1, 9)) } }) },
  operations: {
    add: {
      arguments: { id: key('item', fresh()), count: int64(uniform(1, 9)) },
      effects: [insert('item', { id: 'id', count: 'count' })],
    },
    drop: {
      weight: 3,
      arguments: { id: key('item', zipf(0.8)) },
      rows: { i: row('item', 'id') },
      declines: [['unknown', missing('i')]],
      effects: [remove('i')],
    },
  },
});

describe('rows that are deleted by their keys', () => {
  const keyed = { description: byKey, operations: 60 };

  test('pass where each is deleted by one operation', async () => {
    expect(await trial(truth, keyed)).toMatchObject({ status: 'passed', mismatches: 0 });
  });

  test('and by another one', async () => {
    const liar = lying('drop', 5, (call, bench) => {
      const outcome = bench.honest(call);
      return outcome.kind === 'declined' ? acknowledged : outcome;
    });
    expect(await reasonOf(trial(liar, keyed))).toMatch(/^\d+ deleted by two operations/);
  });

  test('declined although they were there', async () => {
    const liar = lying('drop', 5, (call, bench) =>
      bench.store.get(0, [Number(call.values[0])]) === null
        ? bench.honest(call)
        : { kind: 'declined', reason: 'unknown', retries: 0 },
    );
    expect(await reasonOf(trial(liar, { ...keyed, parameters: { items: 1000 } }))).toMatch(
      /^\d+ declined for a reason that no state of the trial permits/,
    );
  });
});
