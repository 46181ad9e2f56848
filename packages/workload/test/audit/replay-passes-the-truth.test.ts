import { expect, test } from 'vitest';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';
import { defaultParameters, OutcomeLog, resolveWorkload } from '../../src/index.ts';
import { everyRule } from './every-rule.ts';
import { acknowledged, everyEffect, examplesOf, run, trial, truth } from './simulation.ts';

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

test('an applied operation without times or reply costs no byte', async () => {
  const { bytes, logs } = await run(truth, {
    description: transfer,
    sessions: 1,
    operations: 3000,
    parameters: {},
  });
  expect(logs[0]?.drawn).toBe(3000);
  expect(bytes).toBeLessThan(100);
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
  const workload = resolveWorkload(everyEffect, defaultParameters(everyEffect));
  const overflowed = (threads: number): boolean => {
    const log = new OutcomeLog(workload, { sessions: 1, threads, limitBytes: 8192 });
    const session = log.open(0);
    // The times of 512 operations take 4 KiB.
    session.settled(session.drawn(), 0, [0, 'label'], acknowledged, 1, 2);
    const [header] = log.encode();
    return new Uint32Array(Uint8Array.from(header ?? []).buffer)[4] === 1;
  };
  expect([overflowed(2), overflowed(3)]).toEqual([false, true]);
});
