import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ClosedLoop } from '../src/loop/closed-loop.ts';
import { createSlot } from '../src/loop/slot.ts';
import type { LoopSession, Slot } from '../src/loop/slot-state.ts';

const neverUsed: LoopSession = {
  session: {
    execute: () => Promise.reject(new Error('not in this test')),
    close: () => Promise.resolve(),
  },
  number: 0,
  watched: new Set(),
  stream: { next: () => 0 },
  log: { drawn: () => 0, settled: () => {} },
  failing: false,
};

describe('a closed loop starts each slot once', () => {
  for (const [name, offsetMs] of [
    ['at once', 0],
    ['that lies ahead', 30],
    ['that has passed', -30],
  ] as const) {
    test(`from a beginning ${name}`, async () => {
      const slots = Array.from({ length: 400 }, () => createSlot(neverUsed, []));
      const started: Slot[] = [];
      const loop = new ClosedLoop(20, slots, (slot) => void started.push(slot));
      loop.begin(performance.now() + offsetMs);
      await setTimeout(offsetMs + 150);
      loop.end();
      expect(started).toHaveLength(slots.length);
      expect(started.every((slot, index) => slot === slots[index])).toBe(true);
    });
  }

  test('spread over time, and no further after its end', async () => {
    const slots = Array.from({ length: 400 }, () => createSlot(neverUsed, []));
    let started = 0;
    const loop = new ClosedLoop(10_000, slots, () => void (started += 1));
    loop.begin(performance.now());
    expect(started).toBe(1);
    loop.end();
    await setTimeout(60);
    expect(started).toBe(1);
  });
});
