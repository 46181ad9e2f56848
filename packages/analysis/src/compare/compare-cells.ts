import {
  type CellSummary,
  type IndexedRun,
  type NoiseFloor,
  type RatioEstimate,
  type RunSummary,
  holmAdjusted,
  ratioBetweenRuns,
  significanceLevel,
} from '@fair-bench/results';
import {
  type DeviationsBetweenRuns,
  deviationsBetweenRuns,
  type KnownDeviation,
} from '../history/deviation.ts';
import { isBelowNoiseFloor, noiseFloorFor } from '../noise-floor/noise-floor.ts';

/** The change of one cell from the first run to the second. */
export type CellChange =
  | {
      readonly kind: 'compared';
      readonly id: string;
      readonly change: RatioEstimate;
      /** The deviation between runs of this cell; the interval includes it. */
      readonly between: KnownDeviation;
      readonly result: 'none' | 'noise' | 'faster' | 'slower';
    }
  /** It lost its number: worse than slower. */
  | { readonly kind: 'lost'; readonly id: string; readonly reason: string }
  | { readonly kind: 'not-comparable'; readonly id: string; readonly reason: string };

/**
 * Compares two runs cell by cell, by the throughputs of their trials and the deviation between runs. All cells are
 * one family of tests (Holm). A change within the noise floor of either run's machine, for the fewer of their rounds,
 * is noise.
 * @param runs of the index; the two compared runs do not contribute to the deviation.
 */
export function compareCells(
  before: RunSummary,
  after: RunSummary,
  runs: readonly IndexedRun[],
): readonly CellChange[] {
  const deviations = deviationsBetweenRuns(runs, after, [before, after]);
  const changes = before.cells.map((old) => compareCell(old, after, deviations));
  const pValues = changes.map((change) => (change.kind === 'compared' ? change.change.pValue : null));
  const adjusted = holmAdjusted(pValues);
  const noiseFloor = noiseFloorOf(before, after);
  return changes.map((change, index) => {
    if (change.kind !== 'compared' || (adjusted[index] ?? 1) > significanceLevel) return change;
    return { ...change, result: resultOf(change.change, noiseFloor) };
  });
}

/** The higher one of the two, for the fewer of their rounds; null when neither run has one. */
export function noiseFloorOf(before: RunSummary, after: RunSummary): NoiseFloor | null {
  const rounds = Math.min(before.run.rounds, after.run.rounds);
  const floors = [before, after].flatMap(({ noiseFloor }) =>
    noiseFloor === undefined ? [] : [noiseFloorFor(noiseFloor, rounds)],
  );
  return floors.toSorted((a, b) => b.ratio - a.ratio)[0] ?? null;
}

/** Without p values until the other cells are known. */
function compareCell(old: CellSummary, after: RunSummary, deviations: DeviationsBetweenRuns): CellChange {
  const { id } = old;
  const current = after.cells.find((cell) => cell.id === id);
  if (old.status !== 'ok') {
    return { kind: 'not-comparable', id, reason: `${old.status} in the first run: ${old.reason}` };
  }
  if (current?.status === 'interrupted') {
    return { kind: 'not-comparable', id, reason: `interrupted in the second run: ${current.reason}` };
  }
  if (current?.status !== 'ok') {
    const reason = current === undefined ? 'absent' : `${current.status}: ${current.reason}`;
    return { kind: 'lost', id, reason: `${reason} (in the second run)` };
  }
  const between = deviations.ofCell(id);
  const change = ratioBetweenRuns(old.tps.trials, current.tps.trials, between);
  return { kind: 'compared', id, change, between, result: 'none' };
}

function resultOf({ ratio }: RatioEstimate, noiseFloor: NoiseFloor | null): 'noise' | 'faster' | 'slower' {
  if (noiseFloor !== null && isBelowNoiseFloor(ratio, noiseFloor)) return 'noise';
  return ratio < 1 ? 'slower' : 'faster';
}
