import { badOption, dataAccessSchema } from '@fair-bench/contract';
import { type CellSpec, cellId } from '../plan/assemble-plan.ts';
import { type Contrast, type ExplainDesign, splitMix64 } from '@fair-bench/results';
import { chooseCombinations, coreOf } from './budget.ts';
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
import { place } from '../settings/table.ts';
import { type GroupedOrders, type Combination, groupedOrders } from '@fair-bench/analysis';

/** From this many skipped cells on, each reason appears once, with an example. */
const skippedMax = 64;

export interface CellChoice {
  readonly design: ExplainDesign;
  readonly specs: readonly CellSpec[];
  /** The cells of the headline and the architecture, in the order of the changes. */
  readonly core: readonly CellSpec[];
  /** Pairs of the core that are compared: the steps between the systems, and the ends. */
  readonly contrasts: readonly Contrast[];
}

/** Whether this many cells fit, some of which have extra rounds. */
export type Fits = (specs: readonly CellSpec[], core: readonly CellSpec[]) => boolean;

/** Everything between two ends, and which part is measured. Planned once; then as many cells are chosen as fit. */
export interface Gap {
  /** The cells of every possible order. */
  readonly specs: readonly CellSpec[];
  /** Cells of one order: the fewest that explain anything. */
  readonly cellsMin: number;
  /** The cells that fit: all, or those of whole orders. Null when not even one order fits. */
  choose(fits: Fits, seed: string): CellChoice | null;
}

/**
 * Plans the gap between two complete ends: enumerates their combinations, merges what cannot change alone, and chooses
 * within the budget. An InputError if the ends are equal, or one is unavailable.
 */
export function gapBetween(from: End, to: End, context: ResolutionContext): Gap {
  const { changes, resolved, grouped, resolution } = enumerate(from, to, context);
  if (changes.length === 0)
    throw badOption('to', to.text, `another target or setting than --from ${from.text}`);
  if (grouped === null) throw badOption('to', to.text, firstReason(resolved));
  const { groups, changeOrders } = grouped;
  const full = 2 ** groups.length - 1;
  const architecture = groupWith(grouped, (index) => changes[index]?.isArchitecture === true);
  const specAt = (combination: Combination): CellSpec[] => {
    const found = resolved[combination];
    return found?.possible === true ? [found.spec] : [];
  };
  const specsOf = (some: Iterable<Combination>): CellSpec[] =>
    [...some].flatMap((combination) => specAt(grouped.ungrouped(combination)));
  const pairOf = (pair: readonly [Combination, Combination]): Contrast[] => {
    const [baseline, contender] = specsOf(pair).map(cellId);
    return baseline === undefined || contender === undefined ? [] : [{ baseline, contender }];
  };
  const designOf = (chosen: ReadonlySet<Combination>, core: readonly Combination[]): ExplainDesign => ({
    from: describeEnd(from, from.settings, resolution.defaults),
    to: describeEnd(to, to.settings, resolution.defaults),
    changes: changes.map(({ name, before, after, isArchitecture }) => ({
      name,
      from: before,
      to: after,
      isArchitecture,
    })),
    withArchitecture: withArchitecture(from, to, resolution),
    ofOneSystem: ofOneSystem(stepsBetween(core, architecture).map(specsOf), resolution),
    cells: [...chosen]
      .map(grouped.ungrouped)
      .flatMap((mask) => specAt(mask).map((spec) => ({ mask, cellId: cellId(spec) }))),
    leftOut: changeOrders.masks.length - chosen.size,
    skipped: skippedCells(from, changes, resolved, grouped, chosen),
  });
  return {
    specs: specsOf(changeOrders.masks),
    cellsMin: changeOrders.changes + 1,
    choose(fits, seed) {
      const fitsHere = (some: ReadonlySet<Combination>): boolean =>
        fits(specsOf(some), specsOf(coreOf(some, full, architecture)));
      const chosen = chooseCombinations(changeOrders, fitsHere, splitMix64(BigInt(seed)), architecture);
      if (chosen === null) return null;
      const core = [...coreOf(chosen, full, architecture)].toSorted((a, b) => a - b);
      const contrasts = contrastsOf(core, full, architecture).flatMap(pairOf);
      return { design: designOf(chosen, core), specs: specsOf(chosen), core: specsOf(core), contrasts };
    },
  };
}

interface Combinations {
  readonly resolution: ResolutionContext;
  readonly changes: readonly Change[];
  /** By combination. */
  readonly resolved: readonly Resolved[];
  /** Null when an end is impossible. */
  readonly grouped: GroupedOrders | null;
}

/** Every subset of the differences; where an order has room for it, the client library's codec is one of them. */
function enumerate(from: End, to: End, resolution: ResolutionContext): Combinations {
  const apart = libraryApart(from, to, resolution);
  if (apart !== null) {
    const all = combinationsOf(apart.from, apart.to, apart.resolution);
    if (all.grouped?.groups.length === all.changes.length) return all;
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
  const grouped = groupedOrders(changes.length, (combination) => resolved[combination]?.possible === true);
  return { resolution, changes, resolved, grouped };
}

/** The group with such a change; null without one. */
function groupWith({ groups }: GroupedOrders, isWanted: (change: number) => boolean): number | null {
  const at = groups.findIndex((group) => group.some(isWanted));
  return at === -1 ? null : at;
}

/** First the steps between the systems or, within one system, each measured step; then the ends. */
function contrastsOf(
  core: readonly Combination[],
  full: Combination,
  architecture: number | null,
): readonly [Combination, Combination][] {
  const steps = core.flatMap((before) =>
    core
      .filter((after) => {
        const bit = after - before;
        const isStep = bit > 0 && (before & bit) === 0 && Number.isInteger(Math.log2(bit));
        return isStep && (architecture === null || bit === 2 ** architecture);
      })
      .map((after): [Combination, Combination] => [before, after]),
  );
  const isStep = steps.some(([before, after]) => before === 0 && after === full);
  return isStep ? steps : [...steps, [0, full]];
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

/** The steps from one system to the other between these masks. */
function stepsBetween(
  masks: readonly Combination[],
  architecture: number | null,
): readonly [Combination, Combination][] {
  if (architecture === null) return [];
  const bit = 2 ** architecture;
  return masks.flatMap((mask) => (masks.includes(mask + bit) ? [[mask, mask + bit]] : []));
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
  grouped: GroupedOrders,
  chosen: ReadonlySet<Combination>,
): ExplainDesign['skipped'] {
  const measured = new Set([...chosen].map(grouped.ungrouped));
  const fitting = new Set(grouped.changeOrders.masks.map(grouped.ungrouped));
  const skipped = resolved.flatMap((one, mask) => {
    if (measured.has(mask)) return [];
    const cell = `${from.text} with ${madeBy(mask, changes)
      .map(({ name, after }) => `${name} ${after}`)
      .join(', ')}`;
    if (!one.possible) return [{ cell, reason: `impossible: ${one.reason}` }];
    if (fitting.has(mask)) return [{ cell, reason: 'beyond the budget' }];
    return [{ cell, reason: 'no feasible order of changes passes through it' }];
  });
  if (skipped.length <= skippedMax) return skipped;
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, same]) => ({
    cell: same.length === 1 ? (same[0]?.cell ?? '') : `${same[0]?.cell} and ${same.length - 1} more`,
    reason,
  }));
}
