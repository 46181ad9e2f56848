import { beforeEach, expect, test } from 'vitest';
import { forget, seen } from './doubles/scripted-client-double.ts';
import { allOf, runOnDoubles } from './trial-on-doubles.ts';

beforeEach(forget);

test('a late reply keeps its slot until it arrives, is a timeout, and is logged', async () => {
  const { result, applied } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs: 120 },
    timing: { operationMs: 50 },
  });

  expect(seen.outstandingPeak).toBe(4 * 2);
  expect(result.outstandingPeak).toBe(4 * 2);
  expect(result.total.applied).toBe(0);
  expect(result.total.faults).toEqual({ timeout: seen.executed });
  expect(result.total.inDoubt).toBe(0);
  expect(result.unanswered).toBe(0);
  expect(applied).toHaveLength(seen.executed);
});

test('the open loop keeps to the depth when starts fall due faster than replies come', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs: 20 },
    loop: { kind: 'open', ratePerSecond: 5000 },
  });

  expect(seen.outstandingPeak).toBe(4 * 2);
  expect(result.outstandingPeak).toBe(4 * 2);
});

test('an unanswered operation is a timeout in doubt, and its slot is never used again', async () => {
  const { result, inDoubt } = await runOnDoubles({
    options: { behaviour: 'never-replies', every: 10 },
    timing: { drainMs: 200 },
  });

  expect(result.unanswered).toBe(4 * 2);
  expect(result.total.faults).toEqual({ timeout: 4 * 2 });
  expect(result.total.inDoubt).toBe(4 * 2);
  expect(inDoubt).toBe(4 * 2);
  expect(result.window.faults).toEqual({});
  expect(result.latency.faults.count).toBe(4 * 2);
  expect(allOf(result.total)).toBe(seen.executed);
  expect(seen.outstandingPeak).toBeLessThanOrEqual(4 * 2);
  expect(seen.closed).toBe(4);
});
