import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import nullConnector from '@fair-bench/connector-null';
import { routeOf } from '@fair-bench/contract';
import { decodeHistogram, loadClientArguments, reportedLatency } from '@fair-bench/load-client';
import { runTrial } from '@fair-bench/load-client/test-support';
import { command, needsNative } from './support/native.ts';
import { type TestTarget, startTarget } from './support/target.ts';

const delayMs = 50;
const sessions = 2;
const ratePerSecond = 200;
/** Each session does one operation in 50 ms, a fifth of what is offered. */
const possiblePerSecond = (sessions * 1000) / delayMs;
const windowMs = 1000;

let target: TestTarget;

beforeAll(async () => {
  target = await startTarget(routeOf(nullConnector, 'http'), { extra: { delayMs: String(delayMs) } });
});
afterAll(async () => {
  await target.close();
});

const module = new URL('../../connector-null/src/client.ts', import.meta.url).href;
const clients = [
  ['Node', process.execPath, loadClientArguments, { kind: 'node', module } as const],
  ['native', command, [], { kind: 'native', protocol: 'http-rpc' } as const],
] as const;

describe.each(clients)(
  'offered five times what is possible, the %s client',
  (_name, program, args, client) => {
    test.skipIf(program === null)(
      'counts every operation that was due with the time that it waited',
      needsNative,
      async () => {
        await target.seed();
        const load = {
          sessions,
          depth: 1,
          loop: { kind: 'open', ratePerSecond },
          timing: { windowMs },
        } as const;
        const result = await runTrial(program ?? '', { ...target.plan('http-rpc', load), client }, args);

        expect(await target.audit(result)).toMatchObject({ status: 'passed' });
        const { openLoop, window, total, timing } = result;
        if (openLoop === null) throw new Error('the loop was open');
        expect(window.applied).toBeLessThanOrEqual(possiblePerSecond * 1.1);
        expect(openLoop.due).toBe((ratePerSecond * windowMs) / 1000);
        expect(openLoop.started).toBeLessThanOrEqual(possiblePerSecond * 1.1);
        const dueInAll = (ratePerSecond * (timing.warmupMs + timing.windowMs)) / 1000;
        expect(Math.abs(total.applied + openLoop.neverStarted - dueInAll)).toBeLessThanOrEqual(1);

        // Of what was due, four fifths never start: the last one due hardly waits, the first for most of the window.
        const latency = reportedLatency([result]);
        expect(latency.count).toBeGreaterThanOrEqual(openLoop.due);
        const waited = decodeHistogram(openLoop.unfinished);
        expect(waited?.meanMs).toBeGreaterThan(0.4 * (openLoop.neverStarted / ratePerSecond) * 1000);
        expect(waited?.maxMs).toBeGreaterThan(0.9 * (openLoop.neverStarted / ratePerSecond) * 1000);
      },
    );
  },
);
