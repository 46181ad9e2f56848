import { describe, expect, test } from 'vitest';
import { decodeHistogram, reportedLatency } from '@fair-bench/load-client';
import { runClient } from '@fair-bench/load-client/test-support';
import { clients, delayedNull } from './support/delayed-null.ts';
import { needsNative } from './support/native.ts';

const delayMs = 50;
const sessions = 2;
const ratePerSecond = 200;
/** Each session does one operation in 50 ms, a fifth of what is offered. */
const possiblePerSecond = (sessions * 1000) / delayMs;
const windowMs = 1000;

const delayed = delayedNull(delayMs);

describe.each(clients)(
  'offered five times what is possible, the %s client',
  (_name, program, args, client) => {
    test.skipIf(program === null)(
      'counts every operation that was due with the time that it waited',
      needsNative,
      async () => {
        const target = delayed();
        await target.seed();
        const load = {
          sessions,
          depth: 1,
          loop: { kind: 'open', ratePerSecond },
          timing: { windowMs },
        } as const;
        const result = await runClient(program ?? '', { ...target.plan('http-rpc', load), client }, args);

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
