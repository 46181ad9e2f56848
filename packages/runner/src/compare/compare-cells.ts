import type { CellSummary, RunSummary } from '@fair-bench/contract';
import { type RatioEstimate, unpairedRatio } from '../statistics/index.ts';

/** What became of one cell from the first run to the second. */
export type CellChange =
  | {
      readonly kind: 'compared';
      readonly id: string;
      readonly change: RatioEstimate;
      readonly slower: boolean;
    }
  /** It had a number and has none any more: worse than slower. */
  | { readonly kind: 'lost'; readonly id: string; readonly reason: string }
  | { readonly kind: 'not-comparable'; readonly id: string; readonly reason: string };

/** Compares the runs cell by cell, by the throughputs of their trials. */
export function compareCells(before: RunSummary, after: RunSummary): readonly CellChange[] {
  return before.cells.map((old) => {
    const current = after.cells.find(({ id }) => id === old.id);
    return compareCell(old, current);
  });
}

function compareCell(old: CellSummary, current: CellSummary | undefined): CellChange {
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
  return { kind: 'compared', id, change, slower: change.significant && change.ratio < 1 };
}
