import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import transfer from '@fair-bench/workloads/transfer';
import { SessionReplay } from '../src/replay/session-replay.ts';
import {
  defaultParameters,
  mergeOutcomeLogs,
  parseOutcomeLog,
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

/**
 * The log of one session of two, with one operation from `sentUs` to `settledUs`, one whose end nobody saw, one without
 * times and, as room in the block, a place beyond what was drawn.
 */
async function logOf(session: number, sentUs: number, settledUs: number): Promise<OutcomeLogFile> {
  const times = [sentUs, settledUs, sentUs, neverUs, 0, 0, 0, 0];
  const words = Uint32Array.from([session, 2, 3, 1, 0, 0, 0, 0, times.length, 0, 0, 0, 0, ...times]);
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
  expect([...(logs[0]?.times ?? [])]).toEqual([1000, 2000, 1000, neverUs, 0, 0, 0, 0]);
  expect([...(logs[1]?.times ?? [])]).toEqual([1400, 2601, 1400, neverUs, 0, 0, 0, 0]);
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

/** The file of one session that drew 3 operations: one was declined, one read was logged. */
const whole = [0x4c4f_4246, 1, 0, 1, 3, 1, 0, 0, 0, 2, 0, 3, 0, 0, 0, 1, 0, 0, 7, 7];
const bytesOf = (words: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(words).buffer);

test.each<[string, Readonly<Record<number, number>>, string]>([
  ['of another program', { 0: 0x4c4f_4247 }, 'does not begin with the magic number'],
  ['of another version', { 1: 2 }, 'has version 2, this reader knows version 1'],
  ['with more words in its header than there are', { 13: 1 }, 'a section ends beyond its 80 bytes'],
  ['with part of an exception', { 9: 3, 11: 2 }, 'an entry is cut short'],
  ['with part of a read', { 11: 2, 13: 1 }, 'an entry is cut short'],
  ['with an exception of an operation that was never drawn', { 15: 3 }, 'operation 3 of 3 of session 0'],
])('a log %s is refused', (_, changes, reason) => {
  expect(parseOutcomeLog(bytesOf(whole))).toMatchObject([{ drawn: 3, readsOfEvery: 1 }]);
  const changed = whole.map((word, place) => changes[place] ?? word);
  expect(() => parseOutcomeLog(bytesOf(changed))).toThrow(reason);
});

test('a log that is no longer what was reported, or that ends within a word, is refused', async () => {
  const log = await logOf(0, 0, 10);
  await expect(readOutcomeLog({ ...log, sha256: '0'.repeat(64) })).rejects.toThrow(
    'its SHA-256 is not the one',
  );
  expect(() => parseOutcomeLog(bytesOf(whole).subarray(0, 79))).toThrow('it has 79 bytes');
});
