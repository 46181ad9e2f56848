import { expect, test } from 'vitest';
import { runOnDoubles } from './trial-on-doubles.ts';

test('a steady target is measured after the minimal warm-up or slightly more', async () => {
  const { result, events } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs: 2 },
    sessions: 20,
    timing: { warmupMs: 600, warmupMsMax: 8000 },
  });

  expect(result.steadyState.reached).toBe(true);
  expect(result.timing.warmupMs).toBeGreaterThanOrEqual(600);
  expect(result.timing.warmupMs).toBeLessThan(8000);
  expect(events.filter((event) => event.type === 'phase').map((event) => event.phase)).toEqual([
    'warmup',
    'window',
    'drain',
  ]);
});

test('a target that never becomes steady is measured after the longest warm-up, with a note', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'never-replies', every: 3 },
    timing: { warmupMs: 200, warmupMsMax: 700, drainMs: 100 },
  });

  expect(result.steadyState.reached).toBe(false);
  expect(result.timing.warmupMs).toBeGreaterThanOrEqual(700);
});
