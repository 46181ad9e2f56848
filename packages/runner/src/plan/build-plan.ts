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

/** The plan of fair mode: every target by the Node load client, if no other is requested, in every combination. */
export function buildPlan({ id, command, options, targets, workload }: PlanInput): RunPlan {
  // One rate is the plan's; several are the cells' own.
  const rates = options.rate !== undefined && options.rate.length > 1 ? options.rate : [undefined];
  const clients = options.client ?? (['node'] as const);
  const all = pointsOf(workload, options);
  const points = options.quick ? all.slice(0, 1) : all;
  const notes = options.quick
    ? ['A quick look: its intervals are wide. Leave --quick out for a result.']
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
