import { designOf } from '@fair-bench/analysis';
import { type Cell, type RunPlan, runPlanSchema } from '@fair-bench/results';
import { deepFreeze } from './deep-freeze.ts';
import { orderRounds } from './order-rounds.ts';

/** The plan after the search: these cells, in as many rounds as were planned, each next to what it is compared with. */
export function settledPlan(plan: RunPlan, cells: Cell[]): RunPlan {
  const { search: _done, ...others } = plan;
  const used = new Set(cells.map(({ target }) => target));
  const targets = plan.targets.filter(({ target }) => used.has(target));
  const { contrasts, blocks } = designOf({ mode: plan.mode, targets, cells });
  const rounds = plan.rounds.every((ids) => ids.length === 0)
    ? plan.rounds
    : orderRounds(blocks, plan.rounds.length, plan.seed);
  return deepFreeze(runPlanSchema.parse({ ...others, targets, cells, contrasts, blocks, rounds }));
}
