import type { PlannedTarget, RunPlan, TargetOptions } from '@fair-bench/contract';

/**
 * What a connector is told of its target.
 *
 * @param urls system → the user's endpoint, complete with its password; the plan has it without.
 */
export function targetOptions(
  plan: RunPlan,
  target: PlannedTarget,
  urls: Readonly<Record<string, string>>,
): TargetOptions {
  const cells = plan.cells.filter((cell) => cell.target === target.target);
  const url = urls[target.system];
  return {
    ...(url === undefined ? {} : { url }),
    processes: target.processes,
    poolSize: target.poolSize,
    sessionsMax: Math.max(1, ...cells.map(({ sessions }) => sessions)),
    depthMax: Math.max(1, ...cells.map(({ depth }) => depth)),
    durability: target.durability,
    extra: target.extra,
  };
}
