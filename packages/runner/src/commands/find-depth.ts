import { join } from 'node:path';
import type { Search, SearchBounds } from '@fair-bench/results';
import type { LoadedWorkload } from '../discover/workload.ts';
import { pointOfEnd, type ResolutionContext, resolve } from '../explain/point.ts';
import { bestDepth, type End } from '../explain/endpoint.ts';
import { assemblePlan, cellId, type CellSpec, type PlanOptions } from '../plan/assemble-plan.ts';
import { searchBounds } from '../plan/optimized-plan.ts';
import { expectedMs } from '../plan/timing.ts';
import { type CommandInput, searchFirst } from './run-and-report.ts';
import { type ContextInput, prepareContext } from './prepare-context.ts';

const depths = [1, 4, 8, 16, 40];
/** The first depth of the search, used until the best one is found. */
const depthFirst = depths[0] ?? 1;

/** As many as the depths, twice. */
const trialsOfEnd = depths.length * 2;

/** What the search needs of its run. */
export interface DepthRun extends CommandInput<PlanOptions & ContextInput['options']> {
  readonly id: string;
  readonly workload: LoadedWorkload;
  /** The run's folder, in which the search has its own. */
  readonly out: string;
}

/** The end at the depth that was found; unchanged unless it requested the best. */
export type AtDepth = (end: End) => End;

/** A depth unlike that of most ends, for a plan made before the search. */
export const atSomeDepth: AtDepth = (end) => atDepth(end, depths[1] ?? depthFirst);

/** The duration of the search for these ends, milliseconds; 0 when none requests it. */
export function depthSearchMs(
  ends: readonly End[],
  resolution: ResolutionContext,
  { options }: DepthRun,
): number {
  const specs = specsOf(ends, resolution);
  if (specs.length === 0) return 0;
  const { windowMs } = boundsOf(specs, options);
  return expectedMs(specs, trialsOfEnd, { warmup: options.warmup, duration: windowMs });
}

/**
 * The fastest depth for each end that requests it, by the search of optimized mode at the end's own sessions; if none
 * passed, the first. Null when the user interrupted it.
 */
export async function findDepths(
  ends: readonly End[],
  resolution: ResolutionContext,
  run: DepthRun,
): Promise<AtDepth | null> {
  const specs = specsOf(ends, resolution);
  if (specs.length === 0) return (end) => end;
  const { root, id, command, dataDirectory, workload, out } = run;
  const options = { ...run.options, trials: 1, budget: undefined };
  const bounds = boundsOf(specs, options);
  const assembled = assemblePlan({
    id: `${id}-depth`,
    mode: 'explain',
    command,
    options,
    specs,
    workload,
    search: bounds,
  });
  const targets = specs.map(({ target }) => target);
  const folders = { ...run.options, out: join(out, 'depth') };
  // No round follows.
  const plan = { ...assembled, rounds: [[]] };
  const context = await prepareContext({ root, plan, targets, workload, options: folders, dataDirectory });
  const search = await searchFirst({ plan, context });
  return search === null ? null : (end) => atDepth(end, found(end, resolution, search));
}

function boundsOf(specs: readonly CellSpec[], { duration }: PlanOptions): SearchBounds {
  const sessions = [...new Set(specs.map((spec) => spec.sessions))];
  const contests = specs.map((spec) => ({
    name: cellId(spec),
    system: spec.target.system,
    cells: [cellId(spec)],
    sessions: [spec.sessions],
  }));
  const bounds = searchBounds({ sessions, depth: depths, duration });
  return { ...bounds, contests, trialsMax: trialsOfEnd };
}

function specsOf(ends: readonly End[], resolution: ResolutionContext): readonly CellSpec[] {
  return ends.flatMap((end) => (end.settings['depth'] === bestDepth ? specOf(end, resolution) : []));
}

function specOf(end: End, resolution: ResolutionContext): CellSpec[] {
  const resolved = resolve(pointOfEnd(atDepth(end, depthFirst), resolution), resolution);
  return resolved.possible ? [resolved.spec] : [];
}

function atDepth(end: End, depth: number): End {
  const isRequested = end.settings['depth'] === bestDepth;
  return isRequested ? { ...end, settings: { ...end.settings, depth: String(depth) } } : end;
}

/** The searches are in the order of the cells. */
function found(end: End, resolution: ResolutionContext, search: readonly Search[]): number {
  const [spec] = specOf(end, resolution);
  const own = search.find(
    ({ target, client, points }) =>
      target === spec?.target.target &&
      client === spec.client &&
      points.some(({ sessions }) => sessions === spec.sessions),
  );
  return own?.chosen?.depth ?? depthFirst;
}
