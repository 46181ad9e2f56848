import { beforeEach, expect, test } from 'vitest';
import { forget, seen } from './doubles/scripted-client-double.ts';
import { allOf, runOnDoubles, sumOf } from './trial-on-doubles.ts';

beforeEach(forget);

const load = { sessions: 3, depth: 2, batch: 5 };
const delayMs = 5;

test('a session sends its next operations together, in the order of its stream, and each is counted by itself', async () => {
  const { result, applied } = await runOnDoubles({
    options: { behaviour: 'declines-every-third', delayMs },
    ...load,
  });

  expect(seen.batches.length).toBeGreaterThan(10);
  expect(new Set(seen.batches)).toEqual(new Set([5]));
  for (const ordinals of seen.ordinals.values()) expect(ordinals).toEqual(ordinals.map((_, place) => place));
  expect(allOf(result.total)).toBe(seen.executed);
  expect(sumOf(result.total.declined)).toBeCloseTo(seen.executed / 3, -1);
  expect(applied).toHaveLength(result.total.applied);
  // Depth counts requests: two of five operations each, in three sessions.
  expect(result.outstandingPeak).toBe(3 * 2 * 5);
  // Each operation takes as long as its batch, of which a timer may be a millisecond early.
  expect(result.latencyMsMeanWindow).toBeGreaterThan(delayMs - 1);
});

test('in an open loop the rate is that of operations, and those of a batch wait from its start', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs: 100 },
    sessions: 1,
    depth: 1,
    batch: 4,
    loop: { kind: 'open', ratePerSecond: 400 },
    timing: { windowMs: 1000 },
  });

  // Ten times over what one request at a time can do: a batch of four falls due each 10 ms, and takes 100 ms.
  expect(result.openLoop?.due).toBe(400);
  expect(seen.executed).toBeLessThan(15 * 4);
  const { neverStarted = 0, unfinished } = result.openLoop ?? {};
  expect(neverStarted % 4).toBe(0);
  expect(neverStarted + seen.executed).toBeCloseTo(440, -1.5);
  expect(unfinished?.count).toBe(neverStarted);
});

test('canaries take the way of the load: batches of one', async () => {
  const canaries = [0, 1, 2].map((number): [number, string, number] => [
    0,
    `${1_000_000 + number}`,
    7 - number,
  ]);
  const { events } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs },
    ...load,
    canaries,
  });
  expect(events.filter((event) => event.type === 'canary' && event.outcome === 'applied')).toHaveLength(3);
  expect(seen.batches.filter((count) => count !== 5)).toEqual([1, 1, 1]);
});

test('a batch that throws leaves all its operations in doubt', async () => {
  const { result, inDoubt } = await runOnDoubles({ options: { behaviour: 'throws' }, ...load });

  expect(result.total.faults).toEqual({ internal: seen.executed });
  expect(inDoubt).toBe(seen.executed);
  expect(seen.executed % 5).toBe(0);
});

test('a batch without a reply leaves all its operations unanswered', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'never-replies' },
    timing: { drainMs: 100 },
    ...load,
  });
  expect(result.unanswered).toBe(3 * 2 * 5);
});

test('sessions that cannot send batches end the trial before it begins', async () => {
  await expect(runOnDoubles({ options: { behaviour: 'answers', batches: false }, ...load })).rejects.toThrow(
    /no executeBatch.*5 operations/,
  );
  expect(seen.closed).toBeGreaterThan(0);
  expect(seen.executed).toBe(0);
});
