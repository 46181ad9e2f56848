import type { RunPlan } from '@fair-bench/results';
import type { RunOptions } from '../options/run-options.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { assemblePlan, type CellSpec } from './assemble-plan.ts';
import { fitPlan, requestedBudgetMs } from './fit-plan.ts';
import { pointsOf } from './parameters.ts';
import { leastMs } from './timing.ts';

export interface PlanInput {
  readonly id: string;
  /** The command's name and its arguments, as given. */
  readonly command: readonly string[];
  readonly options: RunOptions;
  readonly targets: readonly TargetDefinition[];
  readonly workload: LoadedWorkload;
}

/** The plan of fair mode: every target by the Node load client, unless another is requested, in every combination. */
export function buildPlan({ id, command, options, targets, workload }: PlanInput): RunPlan {
  // One rate belongs to the plan; of several, each cell has its own.
  const rates = options.rate !== undefined && options.rate.length > 1 ? options.rate : [undefined];
  const { cores = [undefined], memory = [undefined], cold } = options;
  const clients = options.client ?? (['node'] as const);
  const all = pointsOf(workload, options);
  const points = options.quick ? all.slice(0, 1) : all;
  const combinations = points.flatMap((point) =>
    options.depth.flatMap((depth) =>
      options.batch.flatMap((batch) =>
        options.sessions.flatMap((sessions) =>
          rates.flatMap((rate) =>
            cores.flatMap((count) =>
              memory.map((memoryMb) => ({
                point,
                depth,
                batch,
                sessions,
                rate,
                cores: count,
                memoryMb,
                cold,
              })),
            ),
          ),
        ),
      ),
    ),
  );
  const specsOf = (count: number): readonly CellSpec[] =>
    targets.flatMap((target) =>
      combinations
        .slice(0, count)
        .flatMap((combination) => clients.map((client) => ({ target, client, ...combination }))),
    );
  const fitted = fitPlan(options, { combinations: combinations.length, candidates: 1 }, (size) =>
    leastMs(specsOf(size.combinations), size.rounds, options),
  );
  const look = options.quick
    ? ['This is a quick look with wide intervals. For a result, leave out --quick.']
    : [];
  return assemblePlan({
    id,
    mode: options.mode,
    command,
    options: { ...options, budget: requestedBudgetMs(options) },
    specs: specsOf(fitted.combinations),
    workload,
    rounds: fitted.rounds,
    notes: [...look, ...fitted.notes],
  });
}
