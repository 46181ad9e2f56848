import { type Claim, defaultValues, settingsOf } from '@fair-bench/results';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { Catalog } from '../discover/workspace.ts';
import { completeEnds } from '../explain/endpoint.ts';
import { pointOfEnd, type ResolutionContext, resolve } from '../explain/point.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { CellSpec } from '../plan/assemble-plan.ts';
import { axisSettings, pointAt, pointOfSettings } from '../plan/parameters.ts';
import { chosenTargets } from '../targets/known-targets.ts';
import { figureReadings, figureTarget, type FigureTarget } from './figure-target.ts';
import { claimedParameters } from './load.ts';

/** The cell that measures a figure here, in one reading. Without one, `notes` gives the reasons. */
export interface FigureCell extends Omit<FigureTarget, 'end'> {
  readonly spec: CellSpec | null;
}

/** The cells of all figures of a claim, in each of their readings. */
export function figureCells(
  claim: Claim,
  options: Pick<RunOptions, 'seed' | 'url' | 'processes' | 'poolSize'>,
  catalog: Catalog,
  workload: LoadedWorkload,
): readonly FigureCell[] {
  const axes = axisSettings(workload);
  const claimed = { seed: options.seed, param: claimedParameters(claim) };
  const { parameters } = pointAt(workload, claimed, {});
  const targets = claim.figures.flatMap((figure) =>
    figureReadings(figure).map((reading) =>
      figureTarget(figure, reading, claim.workload, catalog.connectors, axes),
    ),
  );
  const connectors = catalog.connectors.filter((connector) =>
    targets.some(({ end }) => end?.connector === connector),
  );
  if (connectors.length === 0)
    return targets.map(({ id, reading, notes }) => ({ id, reading, notes, spec: null }));
  const { url, processes, poolSize } = options;
  const choice = { systems: connectors.map(({ name }) => name), url, set: [], processes, poolSize };
  const resolution: ResolutionContext = {
    definitions: chosenTargets(catalog, choice),
    preferred: connectors,
    table: settingsOf(connectors, axes),
    defaults: defaultValues(connectors, { processes, poolSize, depth: 1, sessions: 1 }, axes, parameters),
    pointOf: (settings) => pointOfSettings(workload, claimed, settings),
  };
  return targets.map(({ end, ...figure }): FigureCell => {
    if (end === null) return { ...figure, spec: null };
    const { from } = completeEnds(end, end, { ...resolution, nativeDepth: '1' });
    const resolved = resolve(pointOfEnd(from, resolution), resolution);
    return resolved.possible
      ? { ...figure, spec: resolved.spec }
      : { ...figure, spec: null, notes: [resolved.reason, ...figure.notes] };
  });
}
