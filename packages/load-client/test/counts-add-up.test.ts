import { beforeEach, expect, test } from 'vitest';
import { forget, seen } from './doubles/scripted-client-double.ts';
import { allOf, runOnDoubles } from './trial-on-doubles.ts';

beforeEach(forget);

test('total is every operation that a session executed, and the series counts the same', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'declines-every-third', delayMs: 3, retries: 2 },
  });

  expect(allOf(result.total)).toBe(seen.executed);
  expect(result.total.declined['not-there']).toBeGreaterThan(0);
  expect(result.total.retries).toBe(2 * seen.executed);
  const inSeries = result.series.map((point) => point.applied + point.declined + point.faults);
  expect(inSeries.reduce((sum, count) => sum + count, 0)).toBe(seen.executed);
});

test('window, warm-up and drain make up the total: histograms hold the window and the drain', async () => {
  const { result } = await runOnDoubles({ options: { behaviour: 'answers', delayMs: 20 } });

  const drained = result.latency.applied.count - result.window.applied;
  const warmedUp = result.total.applied - result.latency.applied.count;
  // Every slot has one operation outstanding when the window ends, and none starts after it.
  expect(drained).toBe(4 * 2);
  expect(warmedUp).toBeGreaterThan(0);
  expect(result.window.applied + warmedUp + drained).toBe(seen.executed);
});

test('that the window has ended is said before sessions are closed, however long that takes', async () => {
  const { events, eventsMs } = await runOnDoubles({
    options: { behaviour: 'answers', closeMs: 100 },
    // Nothing is outstanding when the window ends.
    loop: { kind: 'open', ratePerSecond: 20 },
    timing: { windowMs: 330 },
  });

  const [windowMs = 0, drainMs = 0] = eventsMs.filter((_, place) => {
    const event = events[place];
    return event?.type === 'phase' && event.phase !== 'warmup';
  });
  expect(seen.closed).toBe(4);
  expect(drainMs - windowMs).toBeLessThan(430);
});

test('the log holds every applied operation once, of all phases', async () => {
  const { result, applied, inDoubt } = await runOnDoubles({ options: { behaviour: 'answers', delayMs: 2 } });

  expect(applied).toHaveLength(result.total.applied);
  expect(new Set(applied).size).toBe(applied.length);
  expect(inDoubt).toBe(0);
});

test('each operation has its own counts and histograms, which add up to the trial’s', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'declines-every-third', delayMs: 2 },
    reads: 1,
  });

  expect(result.operations.map(({ name, writes }) => [name, writes])).toEqual([
    ['write', true],
    ['look', false],
  ]);
  for (const { total, latency } of result.operations) {
    expect(total.applied).toBeGreaterThan(0);
    expect(total.declined).toBeGreaterThan(0);
    expect(latency.applied.count).toBeGreaterThan(0);
  }
  const [write, look] = result.operations;
  expect((write?.total.applied ?? 0) + (look?.total.applied ?? 0)).toBe(result.total.applied);
  expect((write?.total.declined ?? 0) + (look?.total.declined ?? 0)).toBe(result.total.declined['not-there']);
  expect((write?.window.applied ?? 0) + (look?.window.applied ?? 0)).toBe(result.window.applied);
  expect((write?.latency.applied.count ?? 0) + (look?.latency.applied.count ?? 0)).toBe(
    result.latency.applied.count,
  );
});

test("Little's law holds within 5 % on a delay of 5 ms", async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs: 5 },
    sessions: 10,
    timing: { windowMs: 1500 },
  });

  const inSystem = (result.window.applied / result.timing.windowMs) * result.latencyMsMeanWindow;
  expect(inSystem / (10 * 2)).toBeGreaterThan(0.95);
  expect(inSystem / (10 * 2)).toBeLessThan(1.05);
  expect(result.timing.windowMs).toBe(1500);
  expect(result.replySlots.slots).toBe(150);
});
