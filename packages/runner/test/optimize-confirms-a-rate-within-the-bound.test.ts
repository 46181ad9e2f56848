import { passedTrial, planOf, present } from '@fair-bench/analysis/test-support';
import type { Cell, TrialRecord } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { searchBestPoints, type SearchStage } from '../src/search/search-stage.ts';

const plan = planOf({ targets: ['alpha-http'], depths: [8] });
const cell = present(plan.cells[0]);
const p99MaxMs = 20;
/** Of every trial. */
const tps = 1000;

/** The rates that were tried, and what was found, with these latencies of the open loops, one a trial. */
async function search(
  openMs: readonly number[],
): Promise<{ rates: number[]; found: number | null | undefined }> {
  const rates: number[] = [];
  const measure = async ({ ratePerSecond }: Cell): Promise<TrialRecord> => {
    if (ratePerSecond !== undefined) rates.push(ratePerSecond);
    const ms = ratePerSecond === undefined ? 10 : present(openMs[rates.length - 1]);
    return passedTrial({ cell, round: 0, applied: 2 * tps, latenciesUs: [1000 * ms] });
  };
  const stage: SearchStage = {
    plan,
    lacking: () => null,
    measure: async (_, one) => measure(one),
    elapsedMs: () => 0,
    earlier: [],
    onFound: () => undefined,
    signal: new AbortController().signal,
  };
  const { search: findings } = await searchBestPoints(stage, {
    contests: [{ name: 'alpha', system: 'alpha', cells: [cell.id] }],
    sessions: [cell.sessions],
    depths: [cell.depth],
    sessionsMax: cell.sessions,
    depthMax: cell.depth,
    pools: [],
    zone: 0.05,
    p99MaxMs,
    trialsMax: 1,
    windowMs: 1000,
  });
  return { rates, found: findings[0]?.rateWithinBound };
}

test('a rate within the bound in one trial only is not chosen: a second one must confirm it', async () => {
  expect(await search([15, 40, 15, 15])).toEqual({ rates: [950, 950, 850, 850], found: 850 });
});

test('a rate beyond the bound is not tried twice; without any within it, none is found', async () => {
  expect(await search([40, 40, 40, 40, 40])).toEqual({ rates: [950, 850, 700, 500, 300], found: null });
});
