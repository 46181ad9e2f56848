import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import nullConnector from '@fair-bench/connector-null';
import { routeOf } from '@fair-bench/contract';
import { latencySummaryMs } from '@fair-bench/load-client';
import {
  type ObservedClient,
  eventsOfTrial,
  namesOf,
  refusalOf,
  refusedFor,
  resultOf,
  runShares,
  startClient,
} from '@fair-bench/load-client/test-support';
import { mergeOutcomeLogs, type PartOfLog, readOutcomeLog } from '@fair-bench/workload';
import { command, needsNative } from './support/native.ts';
import { type TestTarget, startTarget } from './support/target.ts';

describe.skipIf(command === null)('the native load client', needsNative, () => {
  let target: TestTarget;
  const clients: ObservedClient[] = [];

  beforeAll(async () => {
    target = await startTarget(routeOf(nullConnector, 'http'), { extra: { delayMs: '3' } });
    await target.seed();
  });
  afterEach(() => {
    for (const { child } of clients.splice(0)) child.kill('SIGKILL');
  });
  afterAll(async () => {
    await target.close();
  });

  function start(...args: string[]): ObservedClient {
    const client = startClient(command ?? '', args);
    clients.push(client);
    return client;
  }

  test('plan in, events out, the result last; the log is the file whose hash it names', async () => {
    const client = start();
    client.lead(target.plan('http-rpc', { timing: { windowMs: 1500 } }));

    expect(await client.ended).toBe(0);
    expect(namesOf(client)).toEqual(eventsOfTrial);
    const result = resultOf(client);
    const bytes = await readFile(join(target.folder, 'log'));
    expect(result.log).toMatchObject({
      bytes: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(result.client).toMatchObject({ name: 'native', pid: client.child.pid });
    expect(result.ending).toBe('complete');
    expect(result.timing.windowMs).toBe(1500);
    const latency = latencySummaryMs(result.latency.applied);
    expect(latency?.p50).toBeGreaterThan(2.9);
    expect(latency?.p50).toBeLessThanOrEqual(latency?.max ?? 0);
  });

  test('two shares begin and measure at the agreed instants, each with its own sessions', async () => {
    const shareOf = (sessionFirst: number, sessionCount: number) => ({
      ...target.plan('http-rpc', {
        sessions: 5,
        threads: 2,
        timing: { warmupMs: 100, warmupMsMax: 20_000, windowMs: 300 },
        logPath: join(target.folder, `share-${sessionFirst}`),
      }),
      share: { sessionFirst, sessionCount },
    });
    const plans = [shareOf(0, 2), shareOf(2, 3)];

    const { results, goUs, windowUs } = await runShares(command ?? '', [], plans, 10);

    const parts: PartOfLog[] = [];
    for (const { timing, log, window } of results) {
      expect(timing.startUs).toBeCloseTo(goUs, 0);
      expect(timing.startUs + timing.warmupMs * 1000).toBeCloseTo(windowUs, 0);
      expect(window.applied).toBeGreaterThan(0);
      if (log === null) throw new Error('a share left no log');
      parts.push({ ...log, laterUs: 0, errorUs: 0 });
    }
    const logs = await readOutcomeLog(await mergeOutcomeLogs(join(target.folder, 'whole'), parts));
    expect(logs.map(({ session }) => session)).toEqual([0, 1, 2, 3, 4]);
  });

  test('stop ends the window, drains and reports a shorter window', async () => {
    const client = start();
    client.lead(target.plan('http-rpc', { timing: { windowMs: 60_000 } }));
    await client.event((event) => event.type === 'progress' && event.phase === 'window');
    client.send({ type: 'stop' });

    expect(await client.ended).toBe(0);
    const result = resultOf(client);
    expect(result.ending).toBe('stopped');
    expect(result.timing.windowMs).toBeGreaterThan(900);
    expect(result.timing.windowMs).toBeLessThan(20_000);
    expect(result.window.applied).toBeGreaterThan(0);
  });

  test('stop in the warm-up reports an empty window', async () => {
    const client = start();
    const timing = { warmupMs: 60_000, warmupMsMax: 60_000 };
    client.lead(target.plan('http-rpc', { timing }));
    await client.event((event) => event.type === 'phase');
    client.send({ type: 'stop' });

    expect(await client.ended).toBe(0);
    expect(resultOf(client)).toMatchObject({
      ending: 'stopped',
      timing: { windowMs: 0 },
      window: { applied: 0 },
    });
  });

  test('the end of standard input ends the process at once, without a result', async () => {
    const client = start();
    client.lead(target.plan('http-rpc', { timing: { windowMs: 60_000 } }));
    await client.event((event) => event.type === 'phase');
    client.child.stdin.end();

    expect(await client.ended).toBe(1);
    expect(client.events.map((event) => event.type)).not.toContain('result');
  });

  test('nobody listens: a failed event with endpoint and reason, exit code 1', async () => {
    const client = start();
    const endpoint = { url: 'http://127.0.0.1:9', options: {} };
    client.lead(target.plan('http-rpc', { endpoint }));

    expect(await client.ended).toBe(1);
    expect(client.events).toEqual([
      {
        type: 'failed',
        reason: expect.stringMatching(/^connecting 4 sessions to http:\/\/127.0.0.1:9: .*refused/),
      },
    ]);
  });

  test.each([['bench'], ['--help']])('%s is bad usage: exit code 2 and the usage', async (argument) => {
    const client = start(argument);

    expect(await client.ended).toBe(2);
    expect(client.events).toEqual([
      { type: 'failed', reason: expect.stringContaining('usage: native, without arguments') },
    ]);
  });

  const lineOf = (change: (plan: Record<string, unknown>) => Record<string, unknown>) => () =>
    JSON.stringify({ type: 'plan', plan: change({ ...target.plan('http-rpc') }) });
  test.each([
    ['no JSON', () => '{"type":', 'standard input: no JSON'],
    ['not the plan first', () => '{"type":"stop"}', 'the first command has to be the plan'],
    ['no sessions', lineOf((plan) => ({ ...plan, sessions: 0 })), 'plan.sessions: '],
    ['an unknown field', lineOf((plan) => ({ ...plan, extra: 1 })), 'extra'],
    ['too many threads', lineOf((plan) => ({ ...plan, threads: 5 })), 'plan.threads: 5 threads for 4'],
    [
      'too many slots',
      lineOf((plan) => ({ ...plan, sessions: 1000, depth: 1001 })),
      'is more than 1000000 outstanding operations',
    ],
    [
      'the other twin',
      lineOf((plan) => ({ ...plan, client: { kind: 'node', module: 'x' } })),
      'this is the native load client',
    ],
    [
      'an unknown protocol',
      lineOf((plan) => ({ ...plan, client: { kind: 'native', protocol: 'carrier-pigeon' } })),
      'plan.client.protocol: there is no protocol "carrier-pigeon"',
    ],
    [
      'a workload without a seed',
      lineOf((plan) => ({ ...plan, workload: { name: 'transfer', seed: 1 } })),
      'plan.workload.seed: ',
    ],
    [
      'a workload that names a table that it does not have',
      () => lineOf((plan) => plan)().replaceAll('"table":0', '"table":1'),
      'plan.workload: operations.transfer: there is no table 1',
    ],
    [
      'a missing log folder',
      lineOf((plan) => ({ ...plan, logPath: '/no/such/folder/log' })),
      'plan.logPath: /no/such/folder cannot be written to',
    ],
  ])('a bad plan (%s): exit code 2, one line for people, one failed event', async (_name, line, reason) => {
    expect(await refusalOf(start(), line())).toEqual(refusedFor(reason));
  });
});
