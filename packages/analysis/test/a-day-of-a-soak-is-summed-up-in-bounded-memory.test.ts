import { type TrialRecord, trialRecordSchema } from '@fair-bench/results';
import { heldBytes } from '@fair-bench/results/test-support';
import { expect, test } from 'vitest';
import { planOf, present, soakedTrial } from '../src/test-support/index.ts';
import { summarizeSoak } from '../src/soak/summarize-soak.ts';

const slices = 24 * 60;
const megabyte = 2 ** 20;

test('the slices of a day, a minute each, are held in bounded memory, and so is what is said of them', () => {
  const plan = {
    ...planOf({ targets: ['alpha-http'], rounds: 1 }),
    soak: { forMs: slices * 60_000, slices },
  };
  const cell = present(plan.cells[0]);
  const before = heldBytes();
  // As the run has them, no two share anything.
  const trials = Array.from({ length: slices }, (_, slice): TrialRecord => {
    const trial = soakedTrial(cell, slice, {
      tpsAt: (atS) => 1_000 - (120 * atS) / (24 * 3_600),
      checkpointEvery: 6,
      memoryAt: (atS) => 100 + (36 * atS) / 3_600,
    });
    return trialRecordSchema.parse(JSON.parse(JSON.stringify(trial)));
  });
  expect((heldBytes() - before) / megabyte).toBeLessThan(100);
  const [summary] = summarizeSoak(plan, trials);
  expect(JSON.stringify(summary).length).toBeLessThan(200_000);
  const found = present(summary?.found ?? undefined);
  // The true drift: 12 % in a day.
  expect(found.drift?.perHour).toBeCloseTo(-0.12 / 24, 3);
  expect(found.loadedS).toBe(slices * 60);
}, 60_000);
