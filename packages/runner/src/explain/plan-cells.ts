import { badOption, dataAccessSchema } from '@fair-bench/contract';
import {
  chooseFraction,
  type Combination,
  type Space,
  spaceOf,
  systemSteps,
  termsOf,
  withTwoMerged,
} from '@fair-bench/analysis';
import { type CellSpec, cellId } from '../plan/assemble-plan.ts';
import { type Contrast, type ExplainDesign, place } from '@fair-bench/results';
import { cornersOf } from './corners.ts';
import {
  accessIn,
  definitionOfEnd,
  type ResolutionContext,
  type Point,
  pointOfEnd,
  resolve,
  type Resolved,
} from './point.ts';
import { describeEnd, type End } from './endpoint.ts';
import { libraryApart, ofOneSystem, withArchitecture } from './system-step.ts';

/** From this many skipped cells on, each reason appears once, with an example. */
const skippedMax = 64;

export interface CellChoice {
  readonly design: ExplainDesign;
  readonly specs: readonly CellSpec[];
  /** The cells that answer first: the ends and the step between the systems, or, within one system, the path. */
  readonly core: readonly CellSpec[];
  /** Pairs of the core that are compared: the steps between the systems, and the ends. */
  readonly contrasts: readonly Contrast[];
}

/** One way to count the differences as factors, from most cells to fewest. */
export interface Level {
  /** All combinations. */
  readonly all: CellChoice;
  /** A fraction that tells main effects and two-factor interactions apart; null where that needs all. */
  readonly fraction: CellChoice | null;
  /** The ends, one path between them and the steps between the systems: no effects but those. */
  readonly least: CellChoice;
}

/** Everything between two ends: first each difference is a factor of its own, then two of them count as one, and so on. */
export type Gap = Iterable<Level>;

/**
 * Plans the gap between two complete ends: enumerates their combinations, and merges what cannot change alone. An InputError
 * if the ends are equal, or one is unavailable.
 */
export function gapBetween(from: End, to: End, context: ResolutionContext): Gap {
  const { changes, resolved, space, resolution } = enumerate(from, to, context);
  if (changes.length === 0)
    throw badOption('to', to.text, `another target or setting than --from ${from.text}`);
  if (space === null) throw badOption('to', to.text, firstReason(resolved));
  const between = { from, to, changes, resolved, resolution };
  return {
    *[Symbol.iterator]() {
      for (let at: Space | null = space; at !== null;) {
        yield levelOf(between, at, space.groups);
        at = withTwoMerged(at, architectureIn(at, changes), (mask) => resolved[mask]?.possible === true);
      }
    },
  };
}

interface Between {
  readonly from: End;
  readonly to: End;
  readonly changes: readonly Change[];
  /** By combination of single changes. */
  readonly resolved: readonly Resolved[];
  readonly resolution: ResolutionContext;
}

function levelOf(between: Between, space: Space, ownGroups: Space['groups']): Level {
  const architecture = architectureIn(space, between.changes);
  const corners = cornersOf(space, architecture);
  const full = 2 ** space.groups.length - 1;
  const core = new Set(architecture === null ? space.path : [0, ...corners.flat(), full]);
  const least = new Set([...space.path, ...core]);
  const fraction = chooseFraction(space.masks, termsOf(space.groups.length, space.masks), least);
  const pairs = architecture === null ? stepsAlong(space.path) : corners;
  const choose = (chosen: ReadonlySet<Combination>): CellChoice => {
    const specsOf = (some: Iterable<Combination>): CellSpec[] =>
      [...some].flatMap((mask) => specAt(between, space.ungrouped(mask)));
    const isStep = pairs.some(([before, after]) => before === 0 && after === full);
    return {
      design: designOf(between, space, ownGroups, chosen),
      specs: specsOf(chosen),
      core: specsOf([...core].toSorted((a, b) => a - b)),
      contrasts: (isStep ? pairs : [...pairs, [0, full] as const]).flatMap((pair): Contrast[] => {
        const [baseline, contender] = specsOf(pair).map(cellId);
        return baseline === undefined || contender === undefined ? [] : [{ baseline, contender }];
      }),
    };
  };
  return {
    all: choose(new Set(space.masks)),
    fraction: fraction === null ? null : choose(fraction),
    least: choose(least),
  };
}

function stepsAlong(path: readonly Combination[]): readonly (readonly [Combination, Combination])[] {
  return path.slice(1).map((after, index) => [path[index] ?? 0, after] as const);
}

function designOf(
  { from, to, changes, resolved, resolution }: Between,
  space: Space,
  ownGroups: Space['groups'],
  chosen: ReadonlySet<Combination>,
): ExplainDesign {
  const steps = systemSteps(space.masks, architectureIn(space, changes));
  const specsOf = (pair: readonly Combination[]): CellSpec[] =>
    pair.flatMap((mask) => specAt({ resolved }, space.ungrouped(mask)));
  return {
    from: describeEnd(from, from.settings, resolution.defaults),
    to: describeEnd(to, to.settings, resolution.defaults),
    changes: changes.map(({ name, before, after, isArchitecture }) => ({
      name,
      from: before,
      to: after,
      isArchitecture,
    })),
    withArchitecture: withArchitecture(from, to, resolution),
    ofOneSystem: ofOneSystem(steps.map(specsOf), resolution),
    groups: space.groups.map((group) => [...group]),
    merged: space.groups
      .filter(({ length }) => length > 1)
      .map((group) => ({
        names: group.map((index) => changes[index]?.name ?? ''),
        reason: ownGroups.some((own) => own.join() === group.join())
          ? 'they cannot change one at a time here'
          : 'the budget does not hold the cells that tell them apart',
      })),
    possible: resolved.flatMap(({ possible }, mask) => (possible ? [mask] : [])),
    cells: [...chosen]
      .toSorted((a, b) => a - b)
      .map(space.ungrouped)
      .flatMap((mask) => specAt({ resolved }, mask).map((spec) => ({ mask, cellId: cellId(spec) }))),
    skipped: skippedCells(from, changes, resolved, space, chosen),
  };
}

function specAt({ resolved }: Pick<Between, 'resolved'>, mask: Combination): CellSpec[] {
  const found = resolved[mask];
  return found?.possible === true ? [found.spec] : [];
}

/** The group with the step between the systems; null within one system. */
function architectureIn({ groups }: Space, changes: readonly Change[]): number | null {
  const at = groups.findIndex((group) => group.some((index) => changes[index]?.isArchitecture === true));
  return at === -1 ? null : at;
}

interface Combinations {
  readonly resolution: ResolutionContext;
  readonly changes: readonly Change[];
  /** By combination. */
  readonly resolved: readonly Resolved[];
  /** Null when an end is impossible. */
  readonly space: Space | null;
}

/** Every subset of the differences; where a path has room for it, the client library's codec is one of them. */
function enumerate(from: End, to: End, resolution: ResolutionContext): Combinations {
  const apart = libraryApart(from, to, resolution);
  if (apart !== null) {
    const all = combinationsOf(apart.from, apart.to, apart.resolution);
    if (all.space?.groups.length === all.changes.length) return all;
  }
  return combinationsOf(from, to, resolution);
}

/** Each combination as a cell, or with the reason why it is impossible. */
function combinationsOf(from: End, to: End, resolution: ResolutionContext): Combinations {
  const changes = changesBetween(from, to, resolution);
  const isRouteFree = !changes.some(({ sets }) => place.route in sets);
  const start = { ...pointOfEnd(from, resolution), ...(isRouteFree ? { [place.route]: '' } : {}) };
  const resolved = Array.from({ length: 2 ** changes.length }, (_, combination) =>
    resolve(Object.assign({}, start, ...madeBy(combination, changes).map(({ sets }) => sets)), resolution),
  );
  const space = spaceOf(changes.length, (combination) => resolved[combination]?.possible === true);
  return { resolution, changes, resolved, space };
}

/** One difference between the ends, and what it sets at a point. */
interface Change {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly isArchitecture: boolean;
  readonly sets: Point;
}

/** The keys in which two points differ, in the order of reports: how a target is called first, the system last. */
function changesBetween(from: End, to: End, resolution: ResolutionContext): readonly Change[] {
  const [before, after] = [pointOfEnd(from, resolution), pointOfEnd(to, resolution)];
  const isEqual = (...keys: readonly string[]): boolean => keys.every((key) => before[key] === after[key]);
  const urls = [from, to].map((end) => definitionOfEnd(end, resolution).url);
  const change = (key: string, name: string, ...alongside: readonly string[]): Change => ({
    name,
    before: before[key] ?? '',
    after: after[key] ?? '',
    isArchitecture: key === place.system,
    sets: Object.fromEntries([key, ...alongside].map((one) => [one, after[one] ?? ''])),
  });
  const all = [
    ...dataAccessChange(change(place.dataAccess, 'data access'), before, after, resolution),
    change(place.hop, 'hop'),
    // Two routes of one system with the same hop and data access differ only in their name.
    ...(isEqual(place.system, place.hop, place.dataAccess) ? [change(place.route, 'route')] : []),
    ...(isEqual(place.system) && urls[0] !== urls[1] ? [change(place.endpoint, 'endpoint')] : []),
    ...resolution.table.map(({ key, name }) => change(key, name)),
    change(place.system, 'architecture', place.endpoint),
  ];
  return all.filter((one) => one.before !== one.after);
}

/** Empty if the ends differ only in each system's own kind of code inside the database. */
function dataAccessChange(
  change: Change,
  before: Point,
  after: Point,
  resolution: ResolutionContext,
): readonly Change[] {
  const inSystem = (point: Point, access: string): string =>
    accessIn(point[place.system] ?? '', dataAccessSchema.parse(access), resolution);
  const wanted = inSystem(before, change.after);
  if (wanted === change.before) return [];
  // As configured in the system in which the step is possible.
  return [{ ...change, before: inSystem(after, change.before), after: wanted }];
}

function madeBy(mask: Combination, changes: readonly Change[]): readonly Change[] {
  return changes.filter((_, index) => (mask & (2 ** index)) !== 0);
}

function firstReason(resolved: readonly Resolved[]): string {
  const ends = [resolved[0], resolved.at(-1)];
  const reasons = ends.flatMap((end) => (end?.possible === false ? [end.reason] : []));
  return `ends that are available; ${reasons.join('; ')}`;
}

/** Every combination that is not measured, with its reason. */
function skippedCells(
  from: End,
  changes: readonly Change[],
  resolved: readonly Resolved[],
  { masks, ungrouped }: Space,
  chosen: ReadonlySet<Combination>,
): ExplainDesign['skipped'] {
  const measured = new Set([...chosen].map(ungrouped));
  const fitting = new Set(masks.map(ungrouped));
  const skipped = resolved.flatMap((one, mask) => {
    if (measured.has(mask)) return [];
    const cell = `${from.text} with ${madeBy(mask, changes)
      .map(({ name, after }) => `${name} ${after}`)
      .join(', ')}`;
    if (!one.possible) return [{ cell, reason: `impossible: ${one.reason}` }];
    if (fitting.has(mask)) return [{ cell, reason: 'beyond the budget' }];
    return [{ cell, reason: 'it changes only some of the settings that count as one' }];
  });
  if (skipped.length <= skippedMax) return skipped;
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, same]) => ({
    cell: same.length === 1 ? (same[0]?.cell ?? '') : `${same[0]?.cell} and ${same.length - 1} more`,
    reason,
  }));
}
