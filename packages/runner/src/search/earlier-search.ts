import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { badOption } from '@fair-bench/contract';
import {
  type Cell,
  type RunPlan,
  type Search,
  combinationOf,
  readSearchOf,
  resultsFolder,
} from '@fair-bench/results';
import { readHostAndSoftware } from '../probes/environment.ts';

/**
 * What the search of an earlier run found, by the run's folder or its name in `results/`: of the candidates that this
 * run has too. An InputError says what is missing, or in what the two runs differ: a point that was measured otherwise
 * says nothing of this run.
 */
export async function readEarlierSearch(
  root: string,
  run: string,
  plan: RunPlan,
): Promise<readonly Search[]> {
  const here = resolve(run);
  const earlier = await readSearchOf(existsSync(here) ? here : join(resultsFolder(root), run));
  if (earlier === null) throw badOption('continue', run, 'a run of optimized mode that has searched');
  const differences = [
    ...differing(await readHostAndSoftware(root), earlier.environment),
    ...differing(conditionsOf(plan), conditionsOf(earlier.plan)),
  ];
  if (differences.length > 0) throw refused(run, differences.join(', '));
  const kept = earlier.search.filter((one) =>
    isDeepStrictEqual(termsOf(plan, one), termsOf(earlier.plan, one)),
  );
  if (kept.length === 0) throw refused(run, 'the workload, its parameters, or the settings of every target');
  return kept;
}

function refused(run: string, differences: string): Error {
  const accepts = `a run that measured as this one does; it differs in ${differences}. Repeat its command, or leave --continue away for a new search`;
  return badOption('continue', run, accepts);
}

/** How the search measures every point. */
function conditionsOf({ workloadSha256, loop, timing, search, pin }: RunPlan): object {
  return {
    workload: workloadSha256,
    loop,
    timing,
    searchWindowMs: search?.windowMs,
    pin,
  };
}

/** Everything that a point's number depends on but its load; null if the plan does not have it. */
function termsOf({ targets, cells }: RunPlan, one: Search): object | null {
  const cell = cells.find((candidate) => isSearched(candidate, one));
  const target = targets.find((planned) => planned.target === one.target);
  if (cell === undefined || target === undefined) return null;
  const { id: _id, sessions: _sessions, depth: _depth, poolSize: _pool, ...others } = cell;
  return { planned: target, ...others };
}

/** Whether the search's entry is of this cell. */
export function isSearched(cell: Cell, { target, client, parameters, axes, alpha }: Search): boolean {
  return (
    cell.target === target &&
    cell.client === client &&
    isDeepStrictEqual(combinationOf(cell), { parameters, axes, alpha })
  );
}

/** The names under which the first has another value than the second. */
function differing(now: object, before: object): readonly string[] {
  const known = new Map(Object.entries(before));
  return Object.entries(now)
    .filter(([name, value]) => !isDeepStrictEqual(value, known.get(name)))
    .map(([name]) => name);
}
