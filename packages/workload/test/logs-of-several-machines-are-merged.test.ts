import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import transfer from '@fair-bench/workloads/transfer';
import { SessionReplay } from '../src/audit/session-replay.ts';
import {
  defaultParameters,
  mergeOutcomeLogs,
  readOutcomeLog,
  resolveWorkload,
  writeOutcomeLog,
  type OutcomeLogFile,
} from '../src/index.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logs-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const neverUs = 0xffff_ffff;

/** The log of one session of two, with one operation from `sentUs` to `settledUs` and one whose end nobody saw. */
async function logOf(session: number, sentUs: number, settledUs: number): Promise<OutcomeLogFile> {
  const times = [sentUs, settledUs, sentUs, neverUs];
  const words = Uint32Array.from([session, 2, 2, 1, 0, 0, 0, 0, times.length, 0, 0, 0, 0, ...times]);
  return await writeOutcomeLog(join(folder, String(session)), [[new Uint8Array(words.buffer)]]);
}

test('times become those of the trial, and widen by the error of the clocks', async () => {
  const [first, second] = [await logOf(0, 1000, 2000), await logOf(1, 1000, 2000)];
  const parts = [
    { ...second, laterUs: 500.5, errorUs: 100 },
    { ...first, laterUs: 0, errorUs: 0 },
  ];

  const logs = await readOutcomeLog(await mergeOutcomeLogs(join(folder, 'whole'), parts));

  expect(logs.map(({ session }) => session)).toEqual([0, 1]);
  expect([...(logs[0]?.times ?? [])]).toEqual([1000, 2000, 1000, neverUs]);
  expect([...(logs[1]?.times ?? [])]).toEqual([1400, 2601, 1400, neverUs]);
});

test('no time comes before the beginning', async () => {
  const parts = [
    { ...(await logOf(0, 0, 10)), laterUs: 0, errorUs: 300 },
    { ...(await logOf(1, 0, 10)), laterUs: 50, errorUs: 10 },
  ];

  const logs = await readOutcomeLog(await mergeOutcomeLogs(join(folder, 'whole'), parts));

  expect(logs.map(({ times }) => [...times.subarray(0, 2)])).toEqual([
    [0, 610],
    [340, 370],
  ]);
});

test('a log without all sessions is refused', async () => {
  const parts = [{ ...(await logOf(0, 0, 10)), laterUs: 0, errorUs: 0 }];

  const whole = await mergeOutcomeLogs(join(folder, 'whole'), parts);

  await expect(readOutcomeLog(whole)).rejects.toThrow('it has 1 of 2 sessions');
});

test('a log with an operation that settled twice is refused', () => {
  const none = new Uint32Array(0);
  const log = {
    session: 0,
    sessions: 1,
    drawn: 3,
    readsOfEvery: 1,
    overflowed: false,
    mistakesCount: 0,
    mistakes: [],
    exceptions: Uint32Array.of(1, 0x200, 1, 0),
    times: none,
    reads: none,
    scans: none,
    fields: none,
  };
  const workload = resolveWorkload(transfer, defaultParameters(transfer));
  expect(() => new SessionReplay(workload, log)).toThrow('operation 1 of session 0 settled twice');
});

test.each([
  ['with a session twice', 0, 'session 0 is there twice'],
  ['with a session of no trial', 2, 'session 2 is not one of 2'],
])('a log %s is refused', async (_, session, reason) => {
  const logs = [await logOf(0, 0, 10), await logOf(session, 0, 10)];

  const parts = logs.map((log) => ({ ...log, laterUs: 0, errorUs: 0 }));
  const whole = await mergeOutcomeLogs(join(folder, 'whole'), parts);

  await expect(readOutcomeLog(whole)).rejects.toThrow(reason);
});
