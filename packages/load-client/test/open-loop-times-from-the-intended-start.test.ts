import { beforeEach, expect, test } from 'vitest';
import type { EncodedHistogram } from '@fair-bench/results';
import { decodeHistogram } from '../src/histogram.ts';
import { reportedLatency } from '../src/open-loop.ts';
import { forget, seen } from './doubles/scripted-client-double.ts';
import { runOnDoubles } from './trial-on-doubles.ts';

beforeEach(forget);

const twoSeconds = { warmupMs: 100, warmupMsMax: 100, windowMs: 2000 };

test('starts follow the rate, and punctual operations are timed as in a closed loop', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs: 5 },
    sessions: 8,
    loop: { kind: 'open', ratePerSecond: 200 },
    timing: { windowMs: 1000 },
  });

  expect(result.window.applied).toBeGreaterThanOrEqual(170);
  expect(result.window.applied).toBeLessThanOrEqual(230);
  expect(result.openLoop?.due).toBeCloseTo(200, -1);
  // The last ones fall due just before the window's end, when the machine may be busy.
  expect(result.openLoop?.neverStarted).toBeLessThanOrEqual(2);
  expect(result.openLoop?.unfinished.count).toBeLessThanOrEqual(2);
  expect(medianMs(result.latency.applied)).toBeLessThan(20);
});

test('a stall of 200 ms delays all operations that fell due in it, not only those sent', async () => {
  const closed = await runOnDoubles({ options: { behaviour: 'stalls' }, timing: twoSeconds });
  const open = await runOnDoubles({
    options: { behaviour: 'stalls' },
    loop: { kind: 'open', ratePerSecond: 400 },
    timing: twoSeconds,
  });

  // Two stalls in two seconds: 400/s × 0.2 s × 2 = 160 operations fell due in them; 3 in 4 wait over 50 ms.
  expect(slowerThan(open.result, 50)).toBeGreaterThan(80);
  expect(slowerThan(closed.result, 50)).toBeLessThanOrEqual(5 * 4 * 2);
  expect(closed.result.openLoop).toBeNull();
});

test('a due operation that never started counts in the histogram as waiting until the window’s end', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs: 100 },
    sessions: 1,
    depth: 1,
    loop: { kind: 'open', ratePerSecond: 100 },
    timing: { windowMs: 1000 },
  });

  // Ten times over what one slot can do: of about 110 starts, some 10 of them before the window, some 11 are made.
  expect(seen.executed).toBeLessThan(15);
  const { openLoop } = result;
  if (openLoop === null) throw new Error('the loop was open');
  expect(openLoop.due).toBe(100);
  expect(openLoop.started).toBeLessThan(12);
  const dueBefore = result.timing.warmupMs / 10;
  expect(openLoop.neverStarted + seen.executed).toBeCloseTo(openLoop.due + dueBefore, -0.5);
  expect(openLoop.unfinished.count).toBe(openLoop.neverStarted);
  // They wait from when they were due: the first nearly the whole window, the last hardly at all, half of it on
  // average.
  const waited = decodeHistogram(openLoop.unfinished);
  expect(waited?.maxMs).toBeGreaterThan(900);
  expect(waited?.meanMs).toBeCloseTo((waited?.maxMs ?? 0) / 2, -1);
  expect(waited?.percentileMs(50)).toBeCloseTo((waited?.maxMs ?? 0) / 2, -1.5);
});

test('operations sent and never answered are in the reported latency once, with the time that they waited', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'never-replies' },
    sessions: 1,
    depth: 1,
    loop: { kind: 'open', ratePerSecond: 100 },
    timing: { windowMs: 300, drainMs: 200 },
  });

  expect(result.unanswered).toBe(1);
  expect(result.openLoop?.unfinished.count).toBe(result.openLoop?.neverStarted);
  expect(result.latency.faults.count).toBe(1);
  expect(result.latency.faults.maxUs).toBeGreaterThan(500_000);
  const { applied, declined } = result.latency;
  expect(reportedLatency([result]).count).toBe(
    applied.count + declined.count + 1 + (result.openLoop?.neverStarted ?? 0),
  );
});

function medianMs(histogram: EncodedHistogram): number | undefined {
  return decodeHistogram(histogram)?.percentileMs(50);
}

function slowerThan(result: Awaited<ReturnType<typeof runOnDoubles>>['result'], ms: number): number {
  const histogram = decodeHistogram(result.latency.applied);
  if (histogram === null) throw new Error('nothing was applied');
  let fast = 0;
  for (let percentile = 0; percentile <= 100; percentile += 0.1) {
    if (histogram.percentileMs(percentile) <= ms) fast = percentile;
  }
  return Math.round(((100 - fast) / 100) * histogram.count);
}
