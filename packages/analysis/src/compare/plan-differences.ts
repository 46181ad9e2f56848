import { isDeepStrictEqual } from 'node:util';
import type { RunPlan } from '@fair-bench/results';

/**
 * Why two runs do not have the same plan, in words; empty when they have. These may differ: time, command, number and
 * order of rounds, and where the targets ran.
 */
export function planDifferences(before: RunPlan, after: RunPlan): readonly string[] {
  const cellsBefore = new Map(before.cells.map((cell) => [cell.id, cell]));
  const cellsAfter = new Map(after.cells.map((cell) => [cell.id, cell]));
  const missing = [...cellsBefore.keys()].filter((id) => !cellsAfter.has(id));
  const added = [...cellsAfter.keys()].filter((id) => !cellsBefore.has(id));
  const changed = [...cellsBefore].filter(
    ([id, cell]) => cellsAfter.has(id) && !isDeepStrictEqual(cell, cellsAfter.get(id)),
  );
  return [
    ...differing('mode', before.mode, after.mode),
    ...(before.workloadSha256 === after.workloadSha256 ? [] : ['the description of the workload']),
    ...differing('seed', before.seed, after.seed),
    ...differing('loop', before.loop, after.loop),
    ...differing('timing', before.timing, after.timing),
    ...listed('cells only in the first', missing),
    ...listed('cells only in the second', added),
    ...listed(
      'cells with other parameters',
      changed.map(([id]) => id),
    ),
  ];
}

function differing(what: string, before: unknown, after: unknown): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  return [`${what} ${JSON.stringify(before)} → ${JSON.stringify(after)}`];
}

function listed(what: string, ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [] : [`${what}: ${ids.join(', ')}`];
}
