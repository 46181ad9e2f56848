import { fileURLToPath } from 'node:url';
import { defaultWorkload, loadWorkload } from '../../src/discover/workload.ts';
import { axisSettings, pointOfSettings } from '../../src/plan/parameters.ts';
import { discover, type FoundConnector } from '../../src/discover/workspace.ts';
import { completeEnds, parseEnd } from '../../src/explain/endpoint.ts';
import { fitBudget, type FittedCells } from '../../src/explain/fit-budget.ts';
import { gapBetween } from '../../src/explain/plan-cells.ts';
import { defaultValues, settingsOf } from '@fair-bench/results';
import { chosenTargets } from '../../src/targets/known-targets.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const catalog = await discover(root);
const workload = await loadWorkload(root, defaultWorkload);
const axes = axisSettings(workload);
export const times = { warmup: 1000, duration: 2000 };

/** The gap between two ends of the connectors here. */
export function gapOf(from: string, to: string, connectors: readonly FoundConnector[] = catalog.connectors) {
  const ends = [
    parseEnd('from', from, connectors.map(possibleEnd), settingsOf(connectors, axes)),
    parseEnd('to', to, connectors.map(possibleEnd), settingsOf(connectors, axes)),
  ] as const;
  const systems = new Set(ends.map(({ connector }) => connector.manifest.system));
  const own = connectors.filter(({ manifest }) => systems.has(manifest.system));
  const run = { processes: 2, poolSize: 50, depth: 1, sessions: 50 };
  const defaults = defaultValues(own, run, axes, { alpha: 0.5 });
  const table = settingsOf(own, axes);
  const choice = { systems: own.map(({ name }) => name), url: [], set: [], processes: 2, poolSize: 50 };
  const definitions = chosenTargets({ ...catalog, connectors: [...own] }, choice);
  const preferred = ends.map(({ connector }) => connector);
  return gapBetween(...both(completeEnds(...ends, { table, defaults, nativeDepth: '8' })), {
    definitions,
    preferred,
    table,
    defaults,
    pointOf: (settings) => pointOfSettings(workload, { seed: '42', param: [] }, settings),
  });
}

function possibleEnd(connector: FoundConnector) {
  return { base: connector.name, connector, own: {} };
}

function both<T>({ from, to }: { readonly from: T; readonly to: T }): [T, T] {
  return [from, to];
}

/** What is measured of a gap within a budget; all of it without one. */
export function planOf(from: string, to: string, budgetMs?: number, trials?: number): FittedCells {
  return fitBudget(gapOf(from, to), { budgetMs, limitedBy: 'budget', trials, times });
}

/** The ids of the planned cells, sorted. */
export function idsOf({ design }: FittedCells): string[] {
  return design.cells.map(({ cellId }) => cellId).toSorted();
}
