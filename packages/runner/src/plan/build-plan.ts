import type { RunPlan } from '@fair-bench/results';
import type { RunOptions } from '../options/run-options.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { assemblePlan, type CellSpec } from './assemble-plan.ts';
import { fitPlan, type PlanSize, requestedBudgetMs } from './fit-plan.ts';
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
  const routes = routesOfSystems(options, targets);
  const specsOf = (size: Omit<PlanSize, 'rounds'>): readonly CellSpec[] =>
    routes
      .first(size.candidates)
      .flatMap((target) =>
        combinations
          .slice(0, size.combinations)
          .flatMap((combination) => clients.map((client) => ({ target, client, ...combination }))),
      );
  const whole = { combinations: combinations.length, candidates: routes.most };
  const fitted = fitPlan(options, whole, (size) => leastMs(specsOf(size), size.rounds, options));
  const look = options.quick
    ? ['This is a quick look with wide intervals. For a result, leave out --quick.']
    : [];
  return assemblePlan({
    id,
    mode: options.mode,
    command,
    options: { ...options, budget: requestedBudgetMs(options) },
    specs: specsOf(fitted),
    workload,
    rounds: fitted.rounds,
    notes: [...look, ...fitted.notes, ...routes.leftOut(fitted.candidates)],
  });
}

/** The targets of a plan. A quick look at systems that were named as a whole may have fewer of their routes. */
function routesOfSystems(
  { quick, systems = [] }: Pick<RunOptions, 'quick' | 'systems'>,
  targets: readonly TargetDefinition[],
) {
  const isWhole = ({ system, target }: TargetDefinition): boolean =>
    quick && systems.includes(system) && !systems.includes(target);
  const placeOf = (target: TargetDefinition): number =>
    targets.filter(({ system }) => system === target.system).indexOf(target);
  const isKept = (target: TargetDefinition, most: number): boolean =>
    !isWhole(target) || placeOf(target) < most;
  return {
    most: Math.max(1, ...targets.filter(isWhole).map((target) => placeOf(target) + 1)),
    first: (most: number) => targets.filter((target) => isKept(target, most)),
    leftOut(most: number): string[] {
      const left = targets.filter((target) => !isKept(target, most)).map(({ target }) => target);
      return left.length === 0 ? [] : [`Left out of the quick look: ${left.join(', ')}.`];
    },
  };
}
