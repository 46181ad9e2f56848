import { type DataAccess, codeInDatabase, dataAccessSchema } from '@fair-bench/contract';
import {
  loadOfTexts,
  place,
  placeOf,
  refusalBy,
  type Setting,
  type SettingValues,
} from '@fair-bench/results';
import type { FoundConnector } from '../discover/workspace.ts';
import type { CellSpec } from '../plan/assemble-plan.ts';
import type { WorkloadPoint } from '../plan/parameters.ts';
import { type TargetDefinition, withValues } from '../targets/definition.ts';
import type { End } from './endpoint.ts';

/**
 * A point between the ends: the target's place and every setting, as one map. The route is empty where it follows from
 * hop and data access.
 */
export type Point = SettingValues;

/** The definitions in which configurations are searched. */
export interface ResolutionContext {
  /** As the user's options and configuration define them; both ends are included. */
  readonly definitions: readonly TargetDefinition[];
  /** Connectors of the two ends: preferred where several match. */
  readonly preferred: readonly FoundConnector[];
  readonly table: readonly Setting[];
  readonly defaults: SettingValues;
  /** By system: what it counts as having of settings that it lacks, instead of the default. */
  readonly lacked?: Readonly<Record<string, SettingValues>>;
  /** The workload's parameters at these values of its axes. */
  readonly pointOf: (settings: SettingValues) => WorkloadPoint;
}

export type Resolved =
  | { readonly possible: true; readonly spec: CellSpec }
  | { readonly possible: false; readonly reason: string };

/** The definition of an end's target, without the end's own settings. */
export function definitionOfEnd(
  { base }: Pick<End, 'base'>,
  { definitions }: ResolutionContext,
): TargetDefinition {
  const found = definitions.find((definition) => definition.base === base);
  if (found === undefined) throw new Error(`${base}: an end without a definition`);
  return found;
}

/** An end as a point. */
export function pointOfEnd(end: End, resolution: ResolutionContext): Point {
  return { ...end.settings, ...placeOf(definitionOfEnd(end, resolution)) };
}

/** The cell that measures a point, or the reason why no target here can. */
export function resolve(point: Point, resolution: ResolutionContext): Resolved {
  const system = point[place.system] ?? '';
  const hop = point[place.hop] ?? '';
  const route = point[place.route] ?? '';
  const dataAccess = accessIn(system, dataAccessSchema.parse(point[place.dataAccess]), resolution);
  const url = resolution.definitions.find(({ base }) => base === point[place.endpoint])?.url ?? null;
  const candidates = resolution.definitions.filter(
    ({ connector: { manifest }, ...definition }) =>
      definition.system === system &&
      definition.url === url &&
      manifest.factors.hop === hop &&
      manifest.factors.dataAccess === dataAccess &&
      (route === '' || manifest.route === route),
  );
  if (candidates.length === 0) {
    return { possible: false, reason: `${system} has no connector ${describeWay(hop, dataAccess)}` };
  }
  const defaults = { ...resolution.defaults, ...resolution.lacked?.[system] };
  const refusals = candidates.map(({ connector }) => refusalBy(connector, resolution.table, point, defaults));
  const possible = candidates.filter((_, index) => refusals[index] === null);
  const [best] = possible.toSorted(
    (a, b) => strangeness(a, point, resolution) - strangeness(b, point, resolution),
  );
  if (best === undefined) return { possible: false, reason: refusals.join('; ') };
  return { possible: true, spec: specOf(best, point, resolution) };
}

/**
 * How far a definition is from the wanted one: first one of an end's connector, then the one with the most settings
 * in common.
 */
function strangeness(
  definition: TargetDefinition,
  settings: SettingValues,
  { preferred, table, defaults }: ResolutionContext,
): number {
  const changes = Object.keys(changedValues(definition, settings, table, defaults)).length;
  return changes + (preferred.includes(definition.connector) ? 0 : table.length);
}

/**
 * A system's kind of data access: unchanged, or, if it is code inside the database and the system has only the other
 * kind of that, the other kind. So a step to one call of such code can be measured in either system, and the
 * difference between the two kinds is part of the step between the systems.
 */
export function accessIn(
  system: string,
  access: DataAccess,
  { definitions }: Pick<ResolutionContext, 'definitions'>,
): DataAccess {
  if (!codeInDatabase.includes(access)) return access;
  const ofSystem = definitions.filter((definition) => definition.system === system);
  const offered = new Set(ofSystem.map(({ connector: { manifest } }) => manifest.factors.dataAccess));
  return offered.has(access) ? access : (codeInDatabase.find((kind) => offered.has(kind)) ?? access);
}

const accessInWords: Readonly<Record<DataAccess, string>> = {
  statements: 'statements without an ORM',
  orm: 'an ORM',
  'stored-procedure': 'a stored procedure',
  engine: 'code inside its engine',
};

/** The way in words: `with an ORM and no RPC server`. */
function describeWay(hop: string, dataAccess: DataAccess): string {
  return `with ${accessInWords[dataAccess]} and ${hop === 'none' ? 'no RPC server' : 'an RPC server'}`;
}

function specOf(
  definition: TargetDefinition,
  settings: SettingValues,
  { table, defaults, pointOf }: ResolutionContext,
): CellSpec {
  return {
    target: withValues(definition, changedValues(definition, settings, table, defaults)),
    point: pointOf(settings),
    ...loadOfTexts(settings),
  };
}

/** The target's settings that differ from its definition. */
function changedValues(
  { own, connector: { manifest } }: TargetDefinition,
  settings: SettingValues,
  table: readonly Setting[],
  defaults: SettingValues,
): SettingValues {
  const changed = table.filter(
    ({ key, of, offeredBy }) =>
      of.kind === 'target' && offeredBy(manifest) !== null && settings[key] !== (own[key] ?? defaults[key]),
  );
  return Object.fromEntries(changed.map(({ key }) => [key, settings[key] ?? '']));
}
