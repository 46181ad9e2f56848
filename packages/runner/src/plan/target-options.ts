import {
  type PlannedTarget,
  type RunPlan,
  type TargetOptions,
  targetSettingsSchema,
} from '@fair-bench/contract';

/**
 * What a connector is told of its target.
 *
 * @param urls target → the user's endpoint, complete with its password; the plan has it without.
 */
export function targetOptions(
  plan: RunPlan,
  target: PlannedTarget,
  urls: Readonly<Record<string, string>>,
): TargetOptions {
  const cells = plan.cells.filter((cell) => cell.target === target.target);
  const url = urls[target.target];
  return {
    ...targetSettingsSchema.strip().parse(target),
    ...(url === undefined ? {} : { url }),
    sessionsMax: Math.max(1, ...cells.map(({ sessions }) => sessions)),
    depthMax: Math.max(1, ...cells.map(({ depth }) => depth)),
  };
}
