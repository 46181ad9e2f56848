import type { PlannedTarget, RunPlan } from '@fair-bench/results';
import { type TargetOptions, targetSettingsSchema } from '@fair-bench/contract';

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
  // Targets of one system may stand on one server, which the first of them starts.
  const ofSystem = plan.targets.filter(({ system }) => system === target.system);
  const names = new Set(ofSystem.map((one) => one.target));
  const cells = plan.cells.filter((cell) => names.has(cell.target));
  const { sessions = [], depths = [] } = plan.search ?? {};
  const url = urls[target.target];
  return {
    ...targetSettingsSchema.strip().parse(target),
    ...(url === undefined ? {} : { url }),
    sessionsMax: Math.max(1, ...sessions, ...cells.map((cell) => cell.sessions)),
    depthMax: Math.max(1, ...depths, ...cells.map((cell) => cell.depth)),
  };
}
