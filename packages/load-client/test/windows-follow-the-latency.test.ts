import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loopSchema, sampleMsOf, trialPlanSchema } from '@fair-bench/results';
import { Leader } from '../src/leader.ts';
import { WarmUp } from '../src/warm-up.ts';
import { planOnDoubles, runOnDoubles } from './trial-on-doubles.ts';

/**
 * What targets of known behaviour show in their warm-up, and what is decided.
 * `work` is, after each sample: applied, completed, the sum of latencies in milliseconds.
 */
const vectorSchema = z.strictObject({
  name: z.string(),
  timing: trialPlanSchema.shape.timing.omit({ drainMs: true, connectMs: true }),
  loop: loopSchema,
  sessions: z.int(),
  depth: z.int(),
  batch: z.int().default(1),
  sampleMs: z.number(),
  work: z.array(z.tuple([z.number(), z.number(), z.number()])),
  decided: z.strictObject({ steady: z.boolean(), windowMs: z.int() }),
  /** The true mean latency; null where it has none. */
  latencyMs: z.number().nullable(),
});
const file = new URL('../vectors/warm-up.json', import.meta.url);
const vectors = z.array(vectorSchema).parse(JSON.parse(readFileSync(file, 'utf8')));

describe.each(vectors)('$name', ({ timing, work, decided, latencyMs, ...plan }) => {
  test('is decided as the vectors say, and not before', () => {
    const warmUp = new WarmUp({ ...plan, timing: { ...timing, drainMs: 1, connectMs: 1 } });
    expect(sampleMsOf(timing)).toBe(plan.sampleMs);
    const decisions = work.map(([applied, completed, sum], index) =>
      warmUp.decide({ elapsedMs: (index + 1) * plan.sampleMs, applied, completed, latencyMs: sum }),
    );
    expect(decisions).toEqual([...work.slice(1).map(() => null), decided]);
  });

  test('is decided the same from the samples of two clients that share it, when both have reported', () => {
    const full = {
      ...planOnDoubles({ options: {} }),
      ...plan,
      timing: { ...timing, drainMs: 1, connectMs: 1 },
    };
    const leader = new Leader(full, 2);
    const ordered = work.flatMap(([applied, completed, sum], index) => {
      const elapsedMs = (index + 1) * plan.sampleMs;
      const half = { elapsedMs, applied: applied / 2, completed: completed / 2, latencyMs: sum / 2 };
      return [leader.hear(half, 0), leader.hear(half, 1)];
    });
    expect(ordered).toEqual([...ordered.slice(1).map(() => null), decided]);
    const later = { elapsedMs: 1e6, applied: 1e9, completed: 1e9, latencyMs: 1e9 };
    expect([leader.hear(later, 0), leader.hear(later, 1)]).toEqual([null, null]);
  });

  test('gets a window of ten latencies within the bounds of the plan, and little more', () => {
    const wanted = Math.max(timing.windowMs, 10 * (latencyMs ?? 0));
    const least = Math.min(timing.windowMsMax, wanted);
    expect(decided.windowMs).toBeGreaterThanOrEqual(least);
    expect(decided.windowMs).toBeLessThanOrEqual(least * 1.1);
  });
});

test('a target of 120 ms is measured in a window of ten times that, at its true throughput', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'answers', delayMs: 120 },
    sessions: 8,
    depth: 4,
    timing: { warmupMs: 200, warmupMsMax: 10_000, windowMs: 300, windowMsMax: 10_000 },
  });
  const { windowMs, warmupMs } = result.timing;
  expect(windowMs).toBeGreaterThanOrEqual(1200);
  expect(warmupMs).toBeGreaterThan(8 * 120);
  // 32 outstanding, each for its delay and what a busy machine adds.
  const expected = 32 / result.latencyMsMeanWindow;
  expect(Math.abs(result.window.applied / windowMs / expected - 1)).toBeLessThan(0.05);
  expect(result.latencyMsMeanWindow).toBeGreaterThanOrEqual(119);
});

test('a server that never answers gets no longer window for it', async () => {
  const { result } = await runOnDoubles({
    options: { behaviour: 'never-replies', every: 1 },
    timing: { warmupMsMax: 60_000, windowMs: 200, windowMsMax: 60_000, drainMs: 100, operationMs: 400 },
  });
  expect(result.timing.windowMs).toBe(200);
  expect(result.timing.warmupMs).toBeLessThan(5000);
});
