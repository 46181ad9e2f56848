import { expect, test } from 'vitest';
import { type TrialRecord, unmeasuredTrial } from '@fair-bench/results';
import { planOf, present, type SoakShape, soakedTrial } from '../src/test-support/index.ts';
import { summarizeSoak } from '../src/soak/summarize-soak.ts';

const slices = 30;
const plan = {
  ...planOf({ targets: ['alpha-http'], rounds: slices }),
  soak: { forMs: slices * 60_000, slices },
};
const cell = present(plan.cells[0]);

/** 1,000 a second that fall by 12 % in an hour, and half as much for ten seconds after a checkpoint of every sixth slice. */
const shape: SoakShape = {
  tpsAt: (atS) => {
    const isAfterCheckpoint = Math.floor(atS / 65) % 6 === 0 && atS % 65 >= 30 && atS % 65 < 40;
    return (1_000 - (120 * atS) / 3_600) * (isAfterCheckpoint ? 0.5 : 1);
  },
  checkpointEvery: 6,
  memoryAt: (atS) => 100 + (36 * atS) / 3_600,
};
const trials = Array.from({ length: slices }, (_, slice) => soakedTrial(cell, slice, shape));

function foundOf(records: readonly TrialRecord[]) {
  const summary = present(summarizeSoak(plan, records)[0]);
  return { summary, found: present(summary.found ?? undefined) };
}

test('a drift, a growth and what a checkpoint costs are found as they are', () => {
  const { summary, found } = foundOf(trials);
  expect(summary.slices).toEqual({ passed: slices, void: 0, interrupted: 0 });
  expect(found.loadedS).toBe(slices * 60);
  expect(found.lastedS).toBeCloseTo(slices * 65 - 5, 0);
  expect(found.drift?.perHour).toBeCloseTo(-0.12, 1);
  expect(found.drift?.ci95[1]).toBeLessThan(0);
  expect(found.memoryMb?.perHour).toBeCloseTo(36, 3);
  expect(found.filesMb?.perHour).toBe(0);
  const [event] = found.events ?? [];
  expect(event).toMatchObject({ name: 'checkpoint', count: 5 });
  // A second before it counts too: it was begun in that.
  expect(event?.cost?.tpsRatio).toBeCloseTo((10 * 0.5 + 1) / 11, 1);
  expect(event?.cost?.p99Ratio).toBe(10);
  expect(found.worst.tps).toBeLessThan(510);
  expect(found.silence).toMatchObject({ ms: 700, atS: 3 * 65 + 1 });
  expect(summary.marks).toHaveLength(5);
});

test('the course has a bounded number of points, and every operation is in one', () => {
  const { summary, found } = foundOf(trials);
  expect(summary.points.length).toBeLessThanOrEqual(301);
  expect(found.applied).toBe(
    trials.flatMap(({ soak }) => soak?.seconds ?? []).reduce((sum, { applied }) => sum + applied, 0),
  );
  expect(summary.points.find(({ cpu }) => cpu !== null)?.cpu).toMatchObject({ client: 0.25, database: 0.5 });
});

test('a slice that is void has no second in the numbers, and its reason is kept', () => {
  const records = trials.map((trial, slice) =>
    slice === 4 ? unmeasuredTrial('void', { cellId: cell.id, round: 4 }, 'rows that changed') : trial,
  );
  const { summary, found } = foundOf(records);
  expect(summary).toMatchObject({ slices: { passed: slices - 1, void: 1 }, reasons: ['rows that changed'] });
  expect(found.loadedS).toBe((slices - 1) * 60);
});

test('a system that does not say what it does in the background has no events', () => {
  const silent = trials.map((_, slice) => soakedTrial(cell, slice, { ...shape, checkpointEvery: null }));
  expect(foundOf(silent).found.events).toBeNull();
});

test('without a passed slice there is no number', () => {
  const [summary] = summarizeSoak(plan, [
    unmeasuredTrial('interrupted', { cellId: cell.id, round: 0 }, 'ended'),
  ]);
  expect(summary).toMatchObject({ found: null, points: [], slices: { passed: 0, void: 0, interrupted: 1 } });
});
