import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import postgres from '@fair-bench/connector-postgres';
import nullConnector from '@fair-bench/connector-null';
import { type Route, routeOf } from '@fair-bench/contract';
import { decodeHistogram } from '@fair-bench/load-client';
import { runClient, startClient } from '@fair-bench/load-client/test-support';
import { command, needsNative } from './support/native.ts';
import { type TestTarget, startTarget } from './support/target.ts';

/** In `npm test` one of each protocol. */
const routes = chosen<readonly [string, Route, string]>(
  [
    ['PostgreSQL by its own protocol', routeOf(postgres, 'driver'), 'postgres'],
    ['PostgreSQL behind an RPC server', routeOf(postgres, 'storedproc'), 'http-rpc'],
    ['the null RPC server', routeOf(nullConnector, 'http'), 'http-rpc'],
  ],
  (_, place) => place !== 1,
);

describe.skipIf(command === null).each(routes)(
  'the native client against %s',
  needsNative,
  (_name, route, protocol) => {
    let target: TestTarget;

    beforeAll(async () => {
      target = await startTarget(route);
    });
    afterAll(async () => {
      await target.close();
    });

    const shapes = [
      { sessions: 4, depth: 1, threads: 1 },
      { sessions: 5, depth: 8, threads: 2 },
      { sessions: 3, depth: 2, threads: 3, loop: { kind: 'open', ratePerSecond: 300 } as const },
    ];
    test.each(shapes)('every balance is what the outcome log says: %o', async (shape) => {
      await target.seed();
      const result = await runClient(command ?? '', target.plan(protocol, shape));

      expect(await target.audit(result)).toMatchObject({ status: 'passed', mismatches: 0 });
      expect(result.window.applied).toBeGreaterThan(0);
      expect(result.total.faults).toEqual({});
      expect(result.unanswered).toBe(0);
      expect(result.outstandingPeak).toBeLessThanOrEqual(shape.sessions * shape.depth);
      expect(decodeHistogram(result.latency.applied)?.count).toBe(result.latency.applied.count);
      expect(result.latency.applied.count).toBeGreaterThanOrEqual(result.window.applied);
      expect(result.series.reduce((sum, point) => sum + point.applied, 0)).toBe(result.total.applied);
      expect(result.openLoop === null).toBe(shape.loop === undefined);
    });

    test('canaries are sent beside the load, each once, and no number includes them', async () => {
      await target.seed();
      // Between missing rows: declined, so the audit's rows do not change.
      const operations = [0, 1, 2, 3].map((number): [number, ...(string | number)[]] => [
        0,
        4_294_967_000 + number,
        4_294_967_100,
        '1',
      ]);
      const client = startClient(command ?? '');
      const plan = target.plan(protocol, { sessions: 5, depth: 2, threads: 2 });
      client.lead({ ...plan, canaries: operations });
      expect(await client.ended).toBe(0);
      const canaries = client.events.filter((event) => event.type === 'canary');
      expect(new Map(canaries.map(({ number, outcome }) => [number, outcome]))).toEqual(
        new Map(operations.map((_, number) => [number, 'declined'])),
      );
      const nowMs = Number(process.hrtime.bigint()) / 1e6;
      expect(canaries.every(({ atMs }) => atMs < nowMs && atMs > nowMs - 60_000)).toBe(true);
      const [last] = client.events.slice(-1);
      expect(last).toMatchObject({ type: 'result', result: { total: { declined: {} } } });
    });

    test('acknowledgements of watched operations are reported, now and then, and no others', async () => {
      await target.seed();
      const client = startClient(command ?? '');
      const plan = target.plan(protocol, { sessions: 5, depth: 2, threads: 2 });
      // Every second operation of all sessions but the first.
      const listed = [1, 2, 3, 4].map((session): [number, ...number[]] => [
        session,
        ...Array.from({ length: 50_000 }, (_, place) => 2 * place),
      ]);
      client.lead({ ...plan, watched: { everyMs: 10, operations: listed } });
      expect(await client.ended).toBe(0);
      const reported = client.events.filter((event) => event.type === 'acknowledged');
      expect(reported.length).toBeGreaterThan(3);
      const { windowMs } = plan.timing;
      // Each of two threads has its own interval, of half the least length at the least.
      expect(reported.length).toBeLessThanOrEqual(2 * (windowMs / 10 + 1));
      for (const { session, sequence, sessions, drawnMost } of reported) {
        expect(session).toBeGreaterThan(0);
        expect(sequence % 2).toBe(0);
        expect([
          [0, 1],
          [2, 4],
        ]).toContainEqual(sessions);
        expect(session).toBeGreaterThanOrEqual(sessions[0]);
        expect(session).toBeLessThanOrEqual(sessions[1]);
        expect(drawnMost).toBeGreaterThanOrEqual(sequence);
      }
    });

    test('a server that ends during the run fails the trial with its endpoint and the last fault', async () => {
      const gone = await startTarget(route);
      try {
        await gone.seed();
        const client = startClient(command ?? '');
        const timing = { windowMs: 60_000, operationMs: 1000 };
        client.lead(gone.plan(protocol, { timing }));
        await client.event((event) => event.type === 'phase' && event.phase === 'window');
        for (const { pid } of gone.deployment.processes) process.kill(pid, 'SIGKILL');

        expect(await client.ended).toBe(1);
        const [last] = client.events.slice(-1);
        expect(last).toMatchObject({
          type: 'failed',
          reason: expect.stringMatching(/is gone: all 4 sessions failed .* last fault: connection-/),
        });
        expect(client.stderr()).not.toMatch(/:\/\/[^/ ]*@/);
      } finally {
        await gone.close();
      }
    });
  },
);
