import type { RunPlan } from '@fair-bench/results';
import { loadsOf } from '../options/load-options.ts';
import { runDefaults, type RunOptions } from '../options/run-options.ts';
import type { SoakSetting } from '../options/soak-options.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { assemblePlan, type CellSpec, redactCommand } from './assemble-plan.ts';
import { fitPlan, type PlanSize, requestedBudgetMs } from './fit-plan.ts';
import { commandWith, leaveOut, leftOutNotes, without } from './leave-out.ts';
import { otherPoints, pointsOf } from './parameters.ts';
import { expectedMs, leastMs } from './timing.ts';

const noneLeftOut: ReturnType<typeof leaveOut> = new Map();

export interface PlanInput {
  readonly id: string;
  /** The command's name and its arguments, as given. */
  readonly command: readonly string[];
  readonly options: RunOptions;
  readonly targets: readonly TargetDefinition[];
  readonly workload: LoadedWorkload;
  /** Targets that are unavailable here, where the budget decides which are measured. */
  readonly unavailable?: ReadonlySet<string>;
  /** Of `soak`. */
  readonly soak?: SoakSetting;
}

/** The plan of fair mode: every target by the Node load client, unless another is requested, in every combination. */
export function buildPlan(input: PlanInput): RunPlan {
  const { id, options, targets, workload, unavailable = new Set<string>() } = input;
  const clients = options.client ?? (['node'] as const);
  const loads = loadsOf(options);
  const combinations = pointsOf(workload, options).flatMap((point) =>
    loads.map((load) => ({ point, ...load })),
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
  const specsFor = (some: readonly TargetDefinition[]): readonly CellSpec[] =>
    specsOf(whole).filter(({ target }) => some.includes(target));
  const isOneQuestion = combinations.length * clients.length === 1;
  const leftOut = leavesOut(options, isOneQuestion)
    ? leaveOut({
        targets: targets.filter(({ target }) => !unavailable.has(target)),
        budgetMs: options.budget,
        command: redactCommand(input.command),
        needMs: (some, rounds) => expectedMs(specsFor(some), rounds, options),
      })
    : noneLeftOut;
  const takesTime = ({ target: { target } }: CellSpec): boolean =>
    !leftOut.has(target) && !unavailable.has(target);
  const fitted = fitPlan(options, whole, (size) =>
    leastMs(specsOf(size).filter(takesTime), size.rounds, options),
  );
  const look = options.quick
    ? [
        options.systems === undefined
          ? 'This is a quick look at two of the systems here, with wide intervals. For a result of all, leave out --quick.'
          : 'This is a quick look with wide intervals. For a result, leave out --quick.',
      ]
    : input.soak === undefined
      ? othersOf(input, combinations.length)
      : [];
  return assemblePlan({
    leftOut,
    id,
    mode: options.mode,
    command: input.command,
    options: { ...options, budget: requestedBudgetMs(options) },
    specs: specsOf(fitted),
    workload,
    rounds: fitted.rounds,
    ...(input.soak === undefined ? {} : { soak: input.soak }),
    notes: [...look, ...leftOutNotes(leftOut), ...fitted.notes, ...routes.leftOut(fitted.candidates)],
  });
}

/** Named targets, fixed rounds and a grid of combinations are measured as they were requested. */
function leavesOut({ systems, quick, trials }: RunOptions, isOneQuestion: boolean): boolean {
  return isOneQuestion && systems === undefined && trials === undefined && !quick;
}

/** The command that measures more than the one combination of the defaults. */
function othersOf({ command, options, workload }: PlanInput, combinations: number): readonly string[] {
  if (combinations > 1) return [];
  const isDepthDefault = options.depth.join(',') === runDefaults['depth'];
  const others = [...otherPoints(workload, options), ...(isDepthDefault ? ['--depth 1,8'] : [])];
  if (others.length === 0) return [];
  const given = without(redactCommand(command), '--depth');
  return [`One combination was planned. For more: ${commandWith(given, others.join(' '))}`];
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
