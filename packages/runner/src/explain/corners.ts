import { changesMade, type Combination, sharedGroups, type Space, systemSteps } from '@fair-bench/analysis';

/** Up to this many places every step between the systems is measured. */
const cornersMax = 8;

/**
 * The steps between the systems that are always measured: all of them, or beyond eight those with fewest and most of the shared
 * settings changed, and those one change away from either.
 */
export function cornersOf(
  space: Space,
  architecture: number | null,
): readonly (readonly [Combination, Combination])[] {
  const steps = systemSteps(space.masks, architecture);
  if (steps.length <= cornersMax) return steps;
  const shared = sharedGroups(space, architecture).reduce((bits, group) => bits + 2 ** group, 0);
  const changedIn = ([before]: readonly [Combination, Combination]): number => changesMade(before & shared);
  const most = Math.max(...steps.map(changedIn));
  const least = Math.min(...steps.map(changedIn));
  return steps.filter((step) => changedIn(step) <= least + 1 || changedIn(step) >= most - 1);
}
