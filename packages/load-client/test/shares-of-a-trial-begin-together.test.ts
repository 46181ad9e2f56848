import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mergeOutcomeLogs, type PartOfLog, readOutcomeLog } from '@fair-bench/workload';
import { loadClientArguments } from '../src/index.ts';
import { runShares, startClient } from '../src/test-support/observed-client.ts';
import { planOnDoubles } from './trial-on-doubles.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'load-client-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

test('two shares begin and measure at the agreed instants, each with its own sessions', async () => {
  const shareOf = (sessionFirst: number, sessionCount: number) =>
    planOnDoubles({
      options: { behaviour: 'answers', delayMs: 2 },
      sessions: 5,
      share: { sessionFirst, sessionCount },
      threads: 2,
      timing: { warmupMs: 100, warmupMsMax: 20_000, windowMs: 300 },
      logPath: join(folder, String(sessionFirst)),
    });

  const { results, goUs, windowUs } = await runShares(
    process.execPath,
    loadClientArguments,
    [shareOf(0, 2), shareOf(2, 3)],
    10,
  );

  const parts: PartOfLog[] = [];
  for (const { timing, log, window } of results) {
    expect(timing.startUs).toBe(goUs);
    expect(timing.startUs + timing.warmupMs * 1000).toBeCloseTo(windowUs, 0);
    expect(timing.windowMs).toBeCloseTo(300, 3);
    expect(window.applied).toBeGreaterThan(0);
    if (log === null) throw new Error('a share left no log');
    parts.push({ ...log, laterUs: 0, errorUs: 0 });
  }
  const logs = await readOutcomeLog(await mergeOutcomeLogs(join(folder, 'whole'), parts));
  expect(logs.map(({ session }) => session)).toEqual([0, 1, 2, 3, 4]);
});

test('a share without an order after its warm-up fails', async () => {
  const share = { sessionFirst: 0, sessionCount: 1 };
  const timing = { connectMs: 100 };
  const client = startClient(process.execPath, loadClientArguments);
  client.send({ type: 'plan', plan: planOnDoubles({ options: { behaviour: 'answers' }, share, timing }) });

  expect(await client.ended).toBe(1);
  expect(client.events.at(-1)).toEqual({
    type: 'failed',
    reason: 'no start order came within 100 ms of ready',
  });
});

test('a share beyond the sessions of the trial is refused', async () => {
  const share = { sessionFirst: 3, sessionCount: 2 };
  const client = startClient(process.execPath, loadClientArguments);
  client.send({
    type: 'plan',
    plan: planOnDoubles({ options: { behaviour: 'answers' }, sessions: 4, share }),
  });

  expect(await client.ended).toBe(2);
  expect(client.stderr()).toContain('plan.share: 2 sessions from 3');
});
