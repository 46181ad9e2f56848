import type { RunPlan } from '@fair-bench/results';
import type { RunOptions } from '../options/run-options.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { assemblePlan } from './assemble-plan.ts';
import { pointsOf } from './parameters.ts';

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
  const clients = options.client ?? (['node'] as const);
  const all = pointsOf(workload, options);
  const points = options.quick ? all.slice(0, 1) : all;
  const notes = options.quick
    ? ['This is a quick look with wide intervals. For a result, leave out --quick.']
    : [];
  const specs = targets.flatMap((target) =>
    points.flatMap((point) =>
      options.depth.flatMap((depth) =>
        options.sessions.flatMap((sessions) =>
          rates.flatMap((rate) =>
            clients.map((client) => ({ target, client, point, depth, sessions, rate })),
          ),
        ),
      ),
    ),
  );
  return assemblePlan({ id, mode: options.mode, command, options, specs, workload, notes });
}
