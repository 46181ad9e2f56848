import { type Cell, type RunPlan, runPlanSchema } from '@fair-bench/results';
import { deepFreeze } from './deep-freeze.ts';

/** The plan after the search: each cell at its chosen point, in the rounds' own order. */
export function settledPlan(plan: RunPlan, chosen: (cell: Cell) => Cell): RunPlan {
  const { search: _done, ...others } = plan;
  const cells = new Map(plan.cells.map((cell) => [cell.id, chosen(cell)]));
  const renamed = (id: string): string => cells.get(id)?.id ?? id;
  return deepFreeze(
    runPlanSchema.parse({
      ...others,
      cells: [...cells.values()],
      rounds: plan.rounds.map((ids) => ids.map(renamed)),
      blocks: plan.blocks?.map((ids) => ids.map(renamed)),
      contrasts: plan.contrasts?.map(({ baseline, contender }) => ({
        baseline: renamed(baseline),
        contender: renamed(contender),
      })),
    }),
  );
}
