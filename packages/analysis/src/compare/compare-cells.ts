import {
  type CellSummary,
  type NoiseFloor,
  type RatioEstimate,
  type RunSummary,
  unpairedRatio,
} from '@fair-bench/results';
import { isBelowNoiseFloor, noiseFloorFor } from '../noise-floor/noise-floor.ts';

/** What became of one cell from the first run to the second. */
export type CellChange =
  | {
      readonly kind: 'compared';
      readonly id: string;
      readonly change: RatioEstimate;
      readonly told: 'none' | 'noise' | 'faster' | 'slower';
    }
  /** It had a number and has none any more: worse than slower. */
  | { readonly kind: 'lost'; readonly id: string; readonly reason: string }
  | { readonly kind: 'not-comparable'; readonly id: string; readonly reason: string };

/**
 * Compares the runs cell by cell, by the throughputs of their trials. A change that is not beyond the noise floor of
 * either run's machine, for the fewer of their rounds, is noise.
 */
export function compareCells(before: RunSummary, after: RunSummary): readonly CellChange[] {
  return before.cells.map((old) => {
    const current = after.cells.find(({ id }) => id === old.id);
    return compareCell(old, current, noiseFloorOf(before, after));
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

function compareCell(
  old: CellSummary,
  current: CellSummary | undefined,
  noiseFloor: NoiseFloor | null,
): CellChange {
  const { id } = old;
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
  const change = unpairedRatio(old.tps.trials, current.tps.trials);
  return { kind: 'compared', id, change, told: toldOf(change, noiseFloor) };
}

function toldOf({ ratio, significant }: RatioEstimate, noiseFloor: NoiseFloor | null) {
  if (!significant) return 'none';
  if (noiseFloor !== null && isBelowNoiseFloor(ratio, noiseFloor)) return 'noise';
  return ratio < 1 ? 'slower' : 'faster';
}
