import type { LoadAgentsOptions } from '../options/load-agents.ts';
import { join } from 'node:path';
import type { RunSummary } from '@fair-bench/results';
import type { LoadedWorkload } from '../discover/workload.ts';
import { bestDepth, type End } from '../explain/endpoint.ts';
import { expectedMs } from '../plan/timing.ts';
import { configurationOfEnd, type Means, resolve } from '../explain/configuration.ts';
import { type CellSpec, type PlanOptions, assemblePlan, cellId } from '../plan/assemble-plan.ts';
import { measure } from './carry-out.ts';
import { prepareContext } from './prepare-context.ts';

/** Depths that are tried for a target that is to be at its best; each is one trial. */
const depthsTried = ['1', '8', '64'] as const;
/** A deeper pipeline has to be this much faster, or it only waits longer. */
const gainMin = 1.05;
const windowMsMax = 1000;

/** What the search needs of the run that it is for. */
export interface DepthRun extends LoadAgentsOptions {
  readonly root: string;
  readonly id: string;
  readonly command: readonly string[];
  readonly dataDirectory: string | null;
  readonly workload: LoadedWorkload;
  /** The run's folder: the search has one of its own in it. */
  readonly out: string;
  readonly dataDir: string | undefined;
  readonly options: PlanOptions;
}

/** The end at the depth that was found; unchanged when it did not ask for the best. */
export type AtDepth = (end: End) => End;

/** Any depth, for a plan that is made before the search. */
export const atSomeDepth: AtDepth = (end) => atDepth(end, depthsTried[1]);

/** How long the search for these ends takes, milliseconds; 0 when none of them asks for it. */
export function depthSearchMs(ends: readonly End[], means: Means, run: DepthRun): number {
  const specs = specsOf(ends, means);
  return specs.length === 0 ? 0 : expectedMs(specs, 1, shortened(run.options));
}

/**
 * Measures each end that asks for its best depth at a few of them, one trial each, and tells the depth at which
 * it was fastest; where none held, the first. Null when the user interrupted it.
 */
export async function searchDepths(
  ends: readonly End[],
  means: Means,
  run: DepthRun,
): Promise<AtDepth | null> {
  const specs = specsOf(ends, means);
  if (specs.length === 0) return (end) => end;
  const { root, id, command, dataDirectory, workload, out, dataDir } = run;
  const options = { ...run.options, ...shortened(run.options), trials: 1 };
  const plan = assemblePlan({ id: `${id}-depth`, mode: 'explain', command, options, specs, workload });
  const targets = specs.map(({ target }) => target);
  const { loadAgents, nats, natsAuth } = run;
  const folders = { out: join(out, 'depth'), dataDir, loadAgents, nats, natsAuth };
  const context = await prepareContext({ root, plan, targets, workload, options: folders, dataDirectory });
  const summary = await measure({ plan, context });
  return summary.run.interrupted ? null : (end) => atDepth(end, fastest(end, means, summary));
}

function shortened({ warmup, duration }: PlanOptions): {
  readonly warmup: number;
  readonly duration: number;
} {
  return { warmup: Math.min(warmup, windowMsMax), duration: Math.min(duration, windowMsMax) };
}

function specsOf(ends: readonly End[], means: Means): readonly CellSpec[] {
  return ends
    .filter(({ settings }) => settings['depth'] === bestDepth)
    .flatMap((end) => depthsTried.flatMap((depth) => specAt(end, depth, means)));
}

function specAt(end: End, depth: string, means: Means): CellSpec[] {
  const resolved = resolve(configurationOfEnd(atDepth(end, depth), means), means);
  return resolved.possible ? [resolved.spec] : [];
}

function atDepth(end: End, depth: string): End {
  return end.settings['depth'] === bestDepth ? { ...end, settings: { ...end.settings, depth } } : end;
}

function fastest(end: End, means: Means, { cells }: RunSummary): string {
  let best: { readonly depth: string; readonly tps: number } | null = null;
  for (const depth of depthsTried) {
    const [spec] = specAt(end, depth, means);
    const cell = spec === undefined ? undefined : cells.find(({ id }) => id === cellId(spec));
    if (cell?.status !== 'ok') continue;
    if (best === null || cell.tps.mean > best.tps * gainMin) best = { depth, tps: cell.tps.mean };
  }
  return best?.depth ?? depthsTried[0];
}
