import {
  type IndexedRun,
  type MeasuredCell,
  type RatioEstimate,
  type RunSummary,
  pointKey,
  ratioBetweenRuns,
  searchedSettings,
} from '@fair-bench/results';
import { deviationsBetweenRuns } from '../history/deviation.ts';

/** A system's best point in optimized mode beside its fastest cell of a fair run (F42). */
export interface BesideFair {
  readonly system: string;
  readonly fair: string;
  readonly optimized: string;
  /** Optimized ÷ fair, with the deviation between runs. */
  readonly change: RatioEstimate;
  /** Whether the whole interval lies below what the search gives up for fewer operations in flight. */
  readonly isSlower: boolean;
}

/** As the option's default. */
const zoneDefault = 0.05;

/**
 * Each system of both runs under the same conditions: its best point must not be slower than what fair mode
 * reaches, by more than the zone of the search.
 */
export function slowerThanFair(
  fair: RunSummary,
  optimized: RunSummary,
  runs: readonly IndexedRun[],
): readonly BesideFair[] {
  const zone = optimized.search?.[0]?.zone ?? zoneDefault;
  const deviations = deviationsBetweenRuns(runs, optimized, [fair, optimized]);
  const best = bestOf(fair);
  return [...bestOf(optimized)].flatMap(([key, cell]): BesideFair[] => {
    const before = best.get(key);
    if (before === undefined) return [];
    const change = ratioBetweenRuns(before.tps.trials, cell.tps.trials, deviations.ofCell(cell.id));
    const isSlower = change.ci95 !== null && change.ci95[1] < 1 - zone;
    return [{ system: cell.system, fair: before.id, optimized: cell.id, change, isSlower }];
  });
}

/**
 * The fastest cell of each system under the same conditions: what the search does not choose. An open loop only reaches what
 * it is offered.
 */
function bestOf({ cells }: RunSummary): ReadonlyMap<string, MeasuredCell> {
  const best = new Map<string, MeasuredCell>();
  for (const cell of cells) {
    if (cell.status !== 'ok' || cell.ratePerSecond !== undefined) continue;
    const key = JSON.stringify([cell.system, cell.durability, pointKey(cell, searchedSettings)]);
    const known = best.get(key);
    if (known === undefined || cell.tps.mean > known.tps.mean) best.set(key, cell);
  }
  return best;
}
