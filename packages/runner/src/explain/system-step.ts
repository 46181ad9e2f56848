import { codeInDatabase } from '@fair-bench/contract';
import type { ExplainDesign, Setting, SettingValues } from '@fair-bench/results';
import type { CellSpec } from '../plan/assemble-plan.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { accessIn, definitionOfEnd, type ResolutionContext } from './point.ts';
import type { End } from './endpoint.ts';

/**
 * The ends with what a client library does as a difference of its own: where only one of them can vary it, the other
 * counts as having the value that the table names, and the step between their systems is made at that value. Null without
 * such a setting, and for an end of the native client, which has no library of a system.
 */
export function libraryApart(
  from: End,
  to: End,
  resolution: ResolutionContext,
): { from: End; to: End; resolution: ResolutionContext } | null {
  const [here, there] = [definitionOfEnd(from, resolution).system, definitionOfEnd(to, resolution).system];
  if (here === there || [from, to].some(({ settings }) => settings['client'] !== 'node')) return null;
  const lackedBy = (end: End, other: End): SettingValues =>
    Object.fromEntries(
      resolution.table.flatMap(({ key, beforeSystem, offeredBy }) => {
        const [own, others] = [end, other].map(({ connector }) => offeredBy(connector.manifest));
        const isOneSided = own === null && beforeSystem !== undefined && others?.includes(beforeSystem);
        return isOneSided === true ? [[key, beforeSystem]] : [];
      }),
    );
  const lacked = { [here]: lackedBy(from, to), [there]: lackedBy(to, from) };
  if (Object.values(lacked).every((values) => Object.keys(values).length === 0)) return null;
  const counted = (end: End, system: string): End => ({
    ...end,
    settings: { ...end.settings, ...lacked[system] },
  });
  return { from: counted(from, here), to: counted(to, there), resolution: { ...resolution, lacked } };
}

/** What else the step between the systems changes: the kind of code inside the database, and the library of Node clients. */
export function withArchitecture(from: End, to: End, resolution: ResolutionContext): string[] {
  const [before, after] = [definitionOfEnd(from, resolution), definitionOfEnd(to, resolution)];
  if (before.system === after.system) return [];
  const libraries = [from, to].map((end) => libraryOf(end, resolution));
  const isByNode = [from, to].some(({ settings }) => settings['client'] === 'node');
  const [library = '', otherLibrary = ''] = libraries;
  return [
    ...codeChange(before, after, resolution),
    ...(isByNode && library !== otherLibrary ? [`client library (${library} → ${otherLibrary})`] : []),
  ];
}

/** The client library of an end's system as the step has it: `node-postgres with clientCodec tuned`. */
function libraryOf({ connector, settings }: End, { table, defaults, lacked }: ResolutionContext): string {
  const { library } = connector.manifest;
  const others = table.flatMap(({ key, beforeSystem, offeredBy }) => {
    const isOffered = offeredBy(connector.manifest) !== null;
    const value = lacked === undefined ? settings[key] : beforeSystem;
    return beforeSystem === undefined || !isOffered || value === defaults[key] ? [] : [`${key} ${value}`];
  });
  return `${library ?? 'HTTP'}${others.length === 0 ? '' : ` with ${others.join(', ')}`}`;
}

/** Each system has its own kind of code inside the database. */
function codeChange(
  before: TargetDefinition,
  after: TargetDefinition,
  resolution: ResolutionContext,
): string[] {
  const inside = [before, after]
    .map(({ connector }) => connector.manifest.factors.dataAccess)
    .find((access) => codeInDatabase.includes(access));
  if (inside === undefined) return [];
  const [own, other] = [before, after].map(({ system }) => accessIn(system, inside, resolution));
  return own === other ? [] : [`data access (${own} → ${other})`];
}

/**
 * Settings that exist on one side of the step between the systems: the other system's counterpart is not varied, so the
 * step contains it.
 */
export function ofOneSystem(
  steps: readonly (readonly CellSpec[])[],
  { table, lacked = {} }: ResolutionContext,
): ExplainDesign['ofOneSystem'] {
  const sides = [0, 1].map((side) => steps.flatMap((specs) => specs[side]?.target ?? []));
  const apart = Object.values(lacked).flatMap((values) => Object.keys(values));
  const isChoice = (offered: ReturnType<Setting['offeredBy']>): boolean =>
    offered === 'any' || (offered !== null && offered.length > 1);
  const offeredBy = (targets: readonly TargetDefinition[]): readonly Setting[] =>
    table.filter(
      ({ key, offeredBy: offers, isAddition = false }) =>
        !isAddition &&
        !apart.includes(key) &&
        targets.some(({ connector }) => isChoice(offers(connector.manifest))),
    );
  const [before = [], after = []] = sides;
  return [
    [before, after],
    [after, before],
  ].flatMap(([own = [], other = []]) => {
    const others = new Set(offeredBy(other).map(({ key }) => key));
    const names = offeredBy(own).flatMap(({ key, name }) => (others.has(key) ? [] : [name]));
    return names.length === 0 ? [] : [`${own[0]?.system}: ${names.join(', ')}`];
  });
}
