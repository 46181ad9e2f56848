import { beforeEach, expect, test } from 'vitest';
import { forget, seen } from './doubles/scripted-client-double.ts';
import { allOf, planOnDoubles, runOnDoubles } from './trial-on-doubles.ts';
import { Orders } from '../src/orders.ts';
import { runLoad } from '../src/run-load.ts';

const idsFirst = 1_000_000;
const canaries = Array.from({ length: 8 }, (_, number): [number, ...(string | number)[]] => [
  0,
  `${idsFirst + number}`,
  4_294_967_295 - number,
]);

beforeEach(forget);

test.each([1, 2])(
  'each is sent once, in a timed session, by %i threads, and is in no number',
  async (threads) => {
    const options = { behaviour: 'answers', delayMs: 2 };
    const { result, events, applied } = await runOnDoubles({ options, threads, canaries });
    const settled = events.filter((event) => event.type === 'canary');
    // Threads report one after the other.
    expect(settled.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(settled.every(({ outcome, atMs }) => outcome === 'applied' && atMs > 0)).toBe(true);
    expect(allOf(result.total)).toBe(applied.length);
    expect(result.outstandingPeak).toBe(8);
    if (threads > 1) return;
    const sent = [...seen.ordinals.values()].map((all) => all.filter((ordinal) => ordinal >= idsFirst));
    expect(sent.flat().toSorted((a, b) => a - b)).toEqual(canaries.map((_, number) => idsFirst + number));
    expect(sent.filter((all) => all.length > 0).length).toBeGreaterThan(1);
    expect(seen.executed).toBe(allOf(result.total) + canaries.length);
  },
);

test('one is outstanding at a time, behind its session’s operations', async () => {
  const options = { behaviour: 'answers', delayMs: 120 };
  const { events } = await runOnDoubles({ options, sessions: 1, depth: 2, canaries });
  expect(seen.outstandingPeak).toBe(3);
  expect(events.filter((event) => event.type === 'canary').length).toBeLessThan(6);
});

test('an unknown operation refuses the plan', async () => {
  const context = { emit: () => undefined, orders: new Orders() };
  const of = (operation: [number, ...(string | number)[]]) =>
    runLoad(planOnDoubles({ options: {}, canaries: [operation] }), context);
  await expect(of([7])).rejects.toThrow('plan.canaries.0: the workload has no operation 7');
  await expect(of([0, 'x', 1])).rejects.toThrow('plan.canaries.0: id: expected int64, got "x"');
});
