import { describe, expect, test } from 'vitest';
import { chosen } from '@fair-bench/contract/test-support';
import { onThisMachine, runShortTrialAgain } from '@fair-bench/conformance';
import transfer from '@fair-bench/workloads/transfer';
import { clients, delayedNull } from './support/delayed-null.ts';
import { needsNative } from './support/native.ts';

const delayMs = 300;
const [sessions, depth] = [16, 4];
const trialMsMax = 60_000;

const target = delayedNull(delayMs);

/** A null server is its own truth: 64 operations outstanding, each for 300 ms, are 213 a second. */
describe.each(chosen(clients, ([name]) => name === 'Node'))(
  'by the %s client, a target of 300 ms',
  (_name, program, args, client) => {
    const measure = async (windowMsMax: number) =>
      await runShortTrialAgain({
        target: 'null-http',
        deployment: target().deployment,
        client,
        directory: target().folder,
        workload: transfer,
        loadClient: onThisMachine({ command: program ?? '', arguments: args }),
        sessions,
        depth,
        warmupMs: 200,
        windowMs: 400,
        windowMsMax,
      });

    test.skipIf(program === null)(
      'is measured for ten latencies, at its true throughput',
      { ...needsNative, timeout: trialMsMax },
      async () => {
        const record = await measure(30_000);
        if (record.status !== 'ok') throw new Error(record.reason);
        const { timing, latencyMsMeanWindow, steadyState } = record.result;
        expect(timing.windowMs).toBeGreaterThanOrEqual(10 * delayMs);
        expect(timing.windowMs).toBeLessThan(20 * delayMs);
        expect(timing.warmupMs).toBeGreaterThan(8 * delayMs);
        expect(steadyState.reached).toBe(true);
        // A busy machine adds to the delay, and to the mean latency as much.
        expect(latencyMsMeanWindow).toBeGreaterThanOrEqual(delayMs - 1);
        // By Little's law; at each end a window may cut up to half of the replies that come together.
        const error = Math.abs(record.tps / ((sessions * depth * 1000) / latencyMsMeanWindow) - 1);
        expect(error).toBeLessThan(latencyMsMeanWindow / timing.windowMs);
      },
    );

    test.skipIf(program === null)(
      'has no number where its window must be short',
      { ...needsNative, timeout: trialMsMax },
      async () => {
        const record = await measure(1200);
        expect(record).toMatchObject({
          status: 'void',
          voidBy: expect.arrayContaining(['window-too-short']),
          reason: expect.stringMatching(
            /the window of 1200 ms is shorter than 5 mean latencies of [34]\d\d ms; --duration [45]s gives it ten/,
          ),
        });
      },
    );
  },
);
