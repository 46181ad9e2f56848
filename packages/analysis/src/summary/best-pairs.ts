import {
  type Cell,
  type Comparison,
  type PlannedTarget,
  type RunPlan,
  sameExcept,
  searchedSettings,
} from '@fair-bench/results';
import { type ComparedPair, pointsOf } from './compared-pair.ts';

type PlannedCells = Pick<RunPlan, 'targets' | 'cells'>;

interface End {
  readonly cell: Cell;
  readonly planned: PlannedTarget;
}

/**
 * The comparisons of optimized mode; none mixes two durabilities. Every pair of targets, each by its fastest client
 * at its own best point; each target by its two load clients at one point; tuning profiles of one system on one
 * route, labelled as such.
 */
export function bestPairs(plan: PlannedCells, cells: readonly Cell[]): readonly ComparedPair[] {
  const ends = cells.flatMap((cell): End[] => {
    const planned = plan.targets.find(({ target }) => target === cell.target);
    return planned === undefined ? [] : [{ cell, planned }];
  });
  return ends.flatMap((baseline, index) =>
    ends.slice(index + 1).flatMap((contender): ComparedPair[] => {
      const of = kindOf(plan, baseline, contender);
      if (of === null) return [];
      const points = pointsOf(baseline.cell, contender.cell);
      const about = { of, points, durability: baseline.planned.durability };
      return [{ baseline: baseline.cell, contender: contender.cell, about }];
    }),
  );
}

type Kind = NonNullable<Comparison['of']>;

/** What kind of comparison the pair is; null where it compares nothing useful. */
function kindOf(plan: PlannedCells, a: End, b: End): Kind | null {
  if (a.planned.durability !== b.planned.durability) return null;
  // The throughput of an open loop is what was offered.
  if (a.cell.ratePerSecond !== undefined || b.cell.ratePerSecond !== undefined) return null;
  if (!sameExcept(a.cell, b.cell, searchedSettings)) return null;
  if (a.cell.target === b.cell.target) {
    return a.cell.client !== b.cell.client && sameExcept(a.cell, b.cell, ['client']) ? 'clients' : null;
  }
  if (!isFastestClient(plan, a.cell) || !isFastestClient(plan, b.cell)) return null;
  if (a.planned.profile === b.planned.profile) return 'best-points';
  const isSameSystem = a.planned.system === b.planned.system;
  return isSameSystem && a.planned.connector !== b.planned.connector ? null : 'profiles';
}

/** The native client, where the target is measured by it as well. */
function isFastestClient({ cells }: PlannedCells, cell: Cell): boolean {
  return (
    cell.client === 'native' ||
    !cells.some(
      (one) =>
        one.target === cell.target && one.client === 'native' && sameExcept(one, cell, searchedSettings),
    )
  );
}
