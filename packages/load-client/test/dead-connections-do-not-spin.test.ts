import { beforeEach, expect, test } from 'vitest';
import { forget, seen } from './doubles/scripted-client-double.ts';
import { planOnDoubles, runOnDoubles } from './trial-on-doubles.ts';
import { Orders } from '../src/orders.ts';
import { runLoad } from '../src/run-load.ts';

beforeEach(forget);

test('an execute that throws is an internal fault in doubt, and the slot goes on', async () => {
  const { result, inDoubt } = await runOnDoubles({ options: { behaviour: 'throws', every: 5 } });

  const faults = result.total.faults.internal ?? 0;
  expect(faults).toBeGreaterThan(4 * 2);
  expect(result.total.inDoubt).toBe(faults);
  expect(inDoubt).toBe(faults);
  expect(result.total.applied).toBe(seen.executed - faults);
});

test('slots without a connection back off: a handful of faults, not a million', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'loses-connection' },
    timing: { windowMs: 700, operationMs: 10_000 },
  });

  // In 800 ms a slot tries at 0, 10, 30, 70, 150, 310 and 630 ms, and would sleep until 1130 ms.
  const faults = result.total.faults['connection-lost'] ?? 0;
  expect(faults).toBeGreaterThanOrEqual(4 * 2 * 3);
  expect(faults).toBeLessThanOrEqual(4 * 2 * 7);
  expect(result.timing.drainMs).toBeLessThan(300);
});

test('a target that is dead ends the trial early, with its endpoint and its last fault', async () => {
  const startMs = performance.now();
  const trial = runOnDoubles({
    options: { behaviour: 'loses-connection' },
    timing: { windowMs: 20_000, operationMs: 300 },
  });

  await expect(trial).rejects.toThrow(
    /double:\/\/nowhere is gone: all 4 sessions failed for 300 ms .* connection-lost: cut by the double/,
  );
  expect(performance.now() - startMs).toBeLessThan(10_000);
  expect(seen.closed).toBe(4);
});

test('a target that still applies some operations is not considered dead', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'loses-connection', every: 2 },
    timing: { operationMs: 200, windowMs: 1000 },
  });

  expect(result.total.applied).toBeGreaterThan(0);
  expect(result.total.faults['connection-lost']).toBeGreaterThan(0);
});

test('a session that answers without I/O does not prevent the trial’s end', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'answers-at-once' },
    timing: { windowMs: 200 },
  });

  expect(result.timing.windowMs).toBe(200);
  expect(result.window.applied).toBeGreaterThan(0);
});

test('an outcome that the contract does not know ends the trial', async () => {
  const trial = runOnDoubles({ options: { behaviour: 'invents-an-outcome' } });

  await expect(trial).rejects.toThrow('unknown fault code, "no-such-code"');
});

test.each([
  ['refuses-to-connect', 'double://nowhere: connection refused by the double'],
  ['hangs-connecting', 'double://nowhere: not all within 300 ms'],
])('a session that %s fails the trial before its first operation', async (behaviour, reason) => {
  const plan = planOnDoubles({ options: { behaviour }, timing: { connectMs: 300 } });
  const trial = runLoad(plan, { emit: () => {}, orders: new Orders() });

  await expect(trial).rejects.toThrow(reason);
  expect(seen.executed).toBe(0);
});
