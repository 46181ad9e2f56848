import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mergeOutcomeLogs, readOutcomeLog, writeOutcomeLog, type OutcomeLogFile } from '../src/index.ts';

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
