import {
  type Cell,
  type Comparison,
  type RunPlan,
  type TrialRecord,
  holmAdjusted,
  isPassed,
  pairedRatio,
  pointKey,
  significanceLevel,
} from '@fair-bench/results';
import { bestPairs } from './best-pairs.ts';
import {
  type ComparedPair,
  comparisonOf,
  type CellWithTrials,
  pointsOf,
  throughputPairs,
} from './compared-pair.ts';
import { disturbanceOfRun } from './disturbance.ts';

/**
 * Every pair of targets in every combination that both were measured in: same parameters, and every setting of the load. The baseline is the first of the two in the plan. One target by two load clients is a pair too.
 * In optimized mode each target has its own point: see `bestPairs`.
 */
export function comparedPairs(plan: Pick<RunPlan, 'mode' | 'targets' | 'cells'>): readonly ComparedPair[] {
  const cells = plan.targets.flatMap(({ target }) => plan.cells.filter((cell) => cell.target === target));
  if (plan.mode === 'optimized') return bestPairs(plan, cells);
  const points = new Map(cells.map((cell) => [cell, pointKey(cell, ['client'])]));
  return cells.flatMap((baseline, index) =>
    cells.slice(index + 1).flatMap((contender): ComparedPair[] => {
      if (points.get(contender) !== points.get(baseline)) return [];
      const isOneTarget = contender.target === baseline.target;
      const isOneClient = contender.client === baseline.client;
      if (isOneTarget === isOneClient) return [];
      if (isOneTarget) {
        return [{ baseline, contender, about: { of: 'clients', points: pointsOf(baseline, contender) } }];
      }
      const isOneProfile = profileOf(plan, baseline) === profileOf(plan, contender);
      return [{ baseline, contender, about: isOneProfile ? {} : { of: 'profiles' } }];
    }),
  );
}

/**
 * The comparisons of a run, each with Student's interval by its own rounds: a noisy target beside quiet ones keeps its coverage. Cells without a number
 * (void, interrupted, unavailable) are left out. Significance is corrected over the whole table.
 */
export function comparisonsOf(plan: RunPlan, trials: readonly TrialRecord[]): Comparison[] {
  const passed = Map.groupBy(trials.filter(isPassed), ({ cellId }) => cellId);
  const measured = (cell: Cell): CellWithTrials | null => {
    const ofCell = passed.get(cell.id) ?? [];
    const due = plan.rounds.filter((ids) => ids.includes(cell.id)).length;
    const isWhole = due > 0 && ofCell.length === due && ofCell.every(({ tps }) => tps > 0);
    return isWhole ? { cell, passed: ofCell } : null;
  };
  const disturbed = new Set(disturbanceOfRun(trials).cells);
  const contrasts = new Set(plan.contrasts?.map(({ baseline, contender }) => `${baseline} ${contender}`));
  const compared = comparedPairs(plan).flatMap((pair) => {
    const [baseline, contender] = [measured(pair.baseline), measured(pair.contender)];
    if (baseline === null || contender === null) return [];
    const rounds = throughputPairs(baseline, contender);
    return rounds.length === 0 ? [] : [{ baseline, contender, rounds, about: pair.about }];
  });
  const comparisons = compared.map(({ baseline, contender, about, rounds }): Uncorrected => {
    const isContrast = contrasts.has(`${baseline.cell.id} ${contender.cell.id}`);
    const isDisturbed = [baseline, contender].some(({ cell }) => disturbed.has(cell.id));
    return {
      ...comparisonOf(baseline, contender),
      ...pairedRatio(rounds),
      rounds: rounds.length,
      ...(isContrast ? { isContrast } : {}),
      ...(isDisturbed ? { disturbed: true } : {}),
      ...about,
    };
  });
  return corrected(comparisons);
}

type Uncorrected = Omit<Comparison, 'pValueAdjusted'>;

/** Each table of comparisons is one family of tests: one table per durability where tables are split by it. */
function corrected(comparisons: readonly Uncorrected[]): Comparison[] {
  const adjusted = new Map<Uncorrected, number | null>();
  const tableOf = ({ durability, batch }: Uncorrected): string => JSON.stringify([durability, batch]);
  for (const table of Map.groupBy(comparisons, tableOf).values()) {
    const pValues = holmAdjusted(table.map(({ pValue }) => pValue));
    for (const [index, comparison] of table.entries()) adjusted.set(comparison, pValues[index] ?? null);
  }
  return comparisons.map((comparison) => {
    const pValueAdjusted = adjusted.get(comparison) ?? null;
    return { ...comparison, pValueAdjusted, significant: (pValueAdjusted ?? 1) <= significanceLevel };
  });
}

function profileOf({ targets }: Pick<RunPlan, 'targets'>, cell: Cell): string | undefined {
  return targets.find(({ target }) => target === cell.target)?.profile;
}
