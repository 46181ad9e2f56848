import type { OperationOutcome } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import ycsb from '@fair-bench/workloads/ycsb';
import { SessionReplay } from '../../src/replay/session-replay.ts';
import { mix32 } from '../../src/draw/scale.ts';
import {
  add,
  defaultParameters,
  defineWorkload,
  fresh,
  insert,
  int64,
  key,
  latest,
  OutcomeLog,
  resolveWorkload,
  row,
  table,
  uniform,
  type WorkloadDescription,
} from '../../src/index.ts';
import { everyRule } from './every-rule.ts';
import { acknowledged, everyEffect, examplesOf, lost, run, trial, truth } from './simulation.ts';

test('every effect and reply, interleaved', async () => {
  const finding = await trial(truth, { sessions: 8, depth: 4, operations: 1000 });
  expect(examplesOf(finding)).toBe('');
  expect(finding).toMatchObject({ status: 'passed', mismatches: 0, inDoubt: 0, readsOfEvery: 1 });
});

test.each([
  ['transfer', transfer, { accounts: 50, alpha: 1.2, initialBalance: '2000' }],
  ['counter', counter, { counters: 20 }],
] as const)('%s', async (_, description, parameters) => {
  const finding = await trial(truth, { description, parameters, operations: 2000 });
  expect(examplesOf(finding)).toBe('');
  expect(finding).toMatchObject({ status: 'passed', mismatches: 0 });
});

test('says what it asserted of each operation', async () => {
  const { asserted } = await trial(truth, { operations: 50 });
  expect(asserted.find(({ operation }) => operation === 'look')?.assertions).toEqual([
    'reads: the right keys, columns that nobody writes as seeded, one text or bytes of each row untorn, in turn',
    'values that were set: linearizable per value, reads of every row',
    'sums: within what the trial can have made of them, reads of every row',
  ]);
});

test('a trial that draws nothing that writes has its reads compared with their seeds, and logs none', async () => {
  const setting = { description: ycsb, operations: 300, parameters: { mix: 'c', records: 20 } };
  const finding = await trial(truth, setting);
  expect(finding).toMatchObject({ status: 'passed', mismatches: 0, rowsChecked: 20 });
  expect(finding.asserted.find(({ operation }) => operation === 'read')?.assertions).toEqual([
    'reads: the right keys, of seeded rows alone; all numbers as seeded, and of each row’s texts and bytes one, in turn',
  ]);
  expect((await run(truth, { ...setting, sessions: 1 })).bytes).toBeLessThan(100);
});

/** No rule compares what it adds to. */
const adding = defineWorkload({
  name: 'adding',
  parameters: {},
  tables: { total: table({ rows: 9, key: 'id', columns: { sum: int64(0) } }) },
  operations: {
    put: {
      arguments: { id: key('total', uniform()) },
      rows: { t: row('total', 'id') },
      effects: [add('t.sum', 1)],
    },
  },
});

test('an applied operation without times or reply costs no byte, and one with times eight', async () => {
  const setting = { sessions: 1, operations: 3000, parameters: {} };
  const { bytes, logs } = await run(truth, { ...setting, description: adding });
  expect(logs[0]?.drawn).toBe(3000);
  expect(bytes).toBeLessThan(100);
  expect((await run(truth, { ...setting, description: transfer })).bytes).toBeGreaterThan(3000 * 8);
});

test('reads are thinned out when the log is full, and writes that do not fit void the trial', async () => {
  const setting = { sessions: 4, operations: 3000 };
  const thinned = await trial(truth, { ...setting, limitBytes: 256_000 });
  expect(thinned).toMatchObject({ status: 'passed' });
  expect([2, 4, 0]).toContain(thinned.readsOfEvery);
  const full = await trial(truth, { ...setting, limitBytes: 60_000 });
  expect(full).toMatchObject({ status: 'failed', reason: expect.stringMatching(/outcome log was full/) });
  const operations = everyRule.operations.filter(({ name }) => name === 'sell');
  const rich = { description: { ...everyRule, operations }, parameters: { stock: 1_000_000 } };
  const sold = await trial(truth, { ...rich, limitBytes: 5_000 });
  expect(sold).toMatchObject({ status: 'failed', reason: expect.stringMatching(/outcome log was full/) });
});

test('each thread has its share of the bound', () => {
  const overflowed = (
    description: WorkloadDescription,
    outcome: OperationOutcome,
    options: { threads?: number; limitBytes: number },
  ): boolean => {
    const workload = resolveWorkload(description, defaultParameters(description));
    const log = new OutcomeLog(workload, { sessions: 1, ...options });
    const session = log.open(0);
    session.settled(session.drawn(0, []), 0, [0, 'label'], outcome, 1, 2);
    const [header] = log.encode();
    return new Uint32Array(Uint8Array.from(header ?? []).buffer)[4] === 1;
  };
  // The times of 512 operations take 4 KiB.
  const timed = (threads: number) => overflowed(everyEffect, acknowledged, { threads, limitBytes: 8192 });
  expect([timed(2), timed(3)]).toEqual([false, true]);
  // The first 128 outcomes that are not applied take 1 KiB.
  const failed = (limitBytes: number) => overflowed(transfer, lost, { limitBytes });
  expect([failed(1024), failed(1023)]).toEqual([false, true]);
});

test('a full log keeps the reads of every second row, then of every fourth, then of none', async () => {
  const kept = new Map<number, Set<number>>();
  for (const limitBytes of [400_000, 60_000, 50_000, 40_000, 30_000, 25_000, 20_000, 15_000]) {
    const { workload, logs } = await run(truth, { sessions: 1, operations: 1000, limitBytes });
    for (const log of logs) {
      const counts = [0, 0, 0, 0];
      new SessionReplay(workload, log).each(1, ({ sequence, values }, replay) => {
        const isKept = replay.readAt(sequence) !== -1 || replay.scanAt(sequence) !== -1;
        const place = mix32(Number(values[0])) & 3;
        if (isKept) counts[place] = (counts[place] ?? 0) + 1;
      });
      const own = kept.get(log.readsOfEvery) ?? new Set();
      kept.set(log.readsOfEvery, own);
      // The read and the scan that found the log full may still be there.
      counts.forEach((count, place) => void (count > 2 && own.add(place)));
    }
  }
  const places = [...kept].map(([every, own]) => [every, [...own].toSorted((a, b) => a - b)]);
  expect(Object.fromEntries(places)).toEqual({ 1: [0, 1, 2, 3], 2: [0, 2], 4: [0], 0: [] });
});

/** A value of −1 looks like a missing row in the log. */
const debts = defineWorkload({
  name: 'debts',
  parameters: {},
  tables: { debt: table({ rows: 1, key: 'id', columns: { level: int64(0) } }) },
  operations: {
    owe: { arguments: { id: key('debt', fresh()) }, effects: [insert('debt', { id: 'id', level: -1 })] },
    pay: {
      arguments: { id: key('debt', latest()) },
      rows: { d: row('debt', 'id') },
      effects: [add('d.level', 1)],
    },
    look: { weight: 2, arguments: { id: key('debt', latest()) }, returns: row('debt', 'id') },
  },
});

test('a row with the value −1 is there', async () => {
  expect(examplesOf(await trial(truth, { description: debts, depth: 1 }))).toBe('');
});
