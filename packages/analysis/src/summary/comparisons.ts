import {
  type Cell,
  type Comparison,
  type RunPlan,
  type TrialRecord,
  holmAdjusted,
  isHeld,
  significanceLevel,
} from '@fair-bench/results';
import { compareBest } from './best-comparisons.ts';
import { comparisonOf, type MeasuredCell, parametersOf, pointsOf } from './measured-cell.ts';

/**
 * Every pair of targets in every combination that both were measured in: the same load client, workload,
 * parameters, sessions and depth. The baseline is the one that comes first in the plan. Cells without a
 * number (void, interrupted, unavailable) are in no comparison. One target by two load clients is a pair, too. In
 * optimized mode each target has a point of its own: see `compareBest`. Significance is that of the whole table.
 */
export function compareCells(plan: RunPlan, trials: readonly TrialRecord[]): Comparison[] {
  const measured = plan.targets.flatMap(({ target }) =>
    plan.cells.flatMap((cell) => {
      if (cell.target !== target) return [];
      const held = trials.filter(({ cellId }) => cellId === cell.id).filter(isHeld);
      return held.length === plan.rounds.length && held.every(({ tps }) => tps > 0) ? [{ cell, held }] : [];
    }),
  );
  return corrected(plan.mode === 'optimized' ? compareBest(plan, measured) : compareEqual(plan, measured));
}

/** Each table of comparisons is one family of tests: one for each durability, where that is what a table is of. */
function corrected(comparisons: readonly Comparison[]): Comparison[] {
  const adjusted = new Map<Comparison, number | null>();
  for (const table of Map.groupBy(comparisons, ({ durability }) => durability).values()) {
    const pValues = holmAdjusted(table.map(({ pValue = null }) => pValue));
    for (const [index, comparison] of table.entries()) adjusted.set(comparison, pValues[index] ?? null);
  }
  return comparisons.map((comparison) => {
    const pValueAdjusted = adjusted.get(comparison) ?? null;
    return { ...comparison, pValueAdjusted, significant: (pValueAdjusted ?? 1) <= significanceLevel };
  });
}

function compareEqual(plan: RunPlan, measured: readonly MeasuredCell[]): Comparison[] {
  return measured.flatMap((baseline, index) =>
    measured.slice(index + 1).flatMap((contender) => {
      if (combinationOf(contender.cell) !== combinationOf(baseline.cell)) return [];
      const isOneTarget = contender.cell.target === baseline.cell.target;
      const isOneClient = contender.cell.client === baseline.cell.client;
      if (isOneTarget === isOneClient) return [];
      const comparison = comparisonOf(baseline, contender);
      if (isOneTarget)
        return [{ ...comparison, of: 'clients' as const, points: pointsOf(baseline, contender) }];
      const isOneProfile = profileOf(plan, baseline) === profileOf(plan, contender);
      return [isOneProfile ? comparison : { ...comparison, of: 'profiles' as const }];
    }),
  );
}

function profileOf({ targets }: RunPlan, { cell }: MeasuredCell): string | undefined {
  return targets.find(({ target }) => target === cell.target)?.profile;
}

/** All but the load client. */
function combinationOf(cell: Cell): string {
  const { workload, depth, sessions, threads, ratePerSecond } = cell;
  return JSON.stringify([workload, parametersOf(cell), depth, sessions, threads, ratePerSecond]);
}
