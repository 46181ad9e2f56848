import { badOption, dataAccessSchema } from '@fair-bench/contract';
import { type CellSpec, cellId } from '../plan/assemble-plan.ts';
import { type Contrast, type Draw, type ExplainDesign, splitMix64 } from '@fair-bench/results';
import { chooseMasks, coreOf } from './budget.ts';
import {
  accessIn,
  definitionOfEnd,
  type Means,
  type Point,
  pointOfEnd,
  resolve,
  type Resolved,
} from './point.ts';
import { describeEnd, type End } from './endpoint.ts';
import { libraryApart, ofOneSystem, withArchitecture } from './system-step.ts';
import { place } from '../settings/table.ts';
import { type GroupedLattice, type Mask, groupedLattice } from '@fair-bench/analysis';

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

/** Plans the gap between two complete ends. An InputError if they are equal, or one is unavailable. */
export function gapBetween(from: End, to: End, means: Means): Gap {
  const apart = libraryApart(from, to, means);
  const withLibrary = apart === null ? null : combinationsOf(apart.from, apart.to, apart.means);
  // Where no order has room for the library's own change, it stays in the step between the systems.
  const isRoom = withLibrary?.grouped?.groups.length === withLibrary?.changes.length;
  const combinations = isRoom && withLibrary !== null ? withLibrary : combinationsOf(from, to, means);
  const { changes, resolved, grouped } = combinations;
  if (changes.length === 0)
    throw badOption('to', to.text, `another target or setting than --from ${from.text}`);
  if (grouped === null) throw badOption('to', to.text, firstReason(resolved));
  const specAt = (mask: Mask): CellSpec[] => {
    const found = resolved[mask];
    return found?.possible === true ? [found.spec] : [];
  };
  const specsOf = (masks: Iterable<Mask>): CellSpec[] =>
    [...masks].flatMap((mask) => specAt(grouped.ungrouped(mask)));
  const full = 2 ** grouped.groups.length - 1;
  const at = grouped.groups.findIndex((group) =>
    group.some((index) => changes[index]?.isArchitecture === true),
  );
  const architecture = at === -1 ? null : at;
  return {
    specs: specsOf(grouped.lattice.masks),
    cellsMin: grouped.lattice.changes + 1,
    choose(fits, seed) {
      const draw: Draw = splitMix64(BigInt(seed));
      const fitsHere = (some: ReadonlySet<Mask>): boolean =>
        fits(specsOf(some), specsOf(coreOf(some, full, architecture)));
      const chosen = chooseMasks(grouped.lattice, fitsHere, draw, architecture);
      if (chosen === null) return null;
      const masks = [...chosen].map(grouped.ungrouped);
      const core = [...coreOf(chosen, full, architecture)].toSorted((a, b) => a - b);
      const leftOut = grouped.lattice.masks.length - chosen.size;
      const skipped = skippedCells({ from, changes, resolved, grouped, chosen });
      const design = {
        from: describeEnd(from, from.settings, means.defaults),
        to: describeEnd(to, to.settings, means.defaults),
        changes: changes.map(({ name, before, after, isArchitecture }) => ({
          name,
          from: before,
          to: after,
          isArchitecture,
        })),
        withArchitecture: withArchitecture(from, to, combinations.means),
        ofOneSystem: ofOneSystem(stepsBetween(core, architecture).map(specsOf), combinations.means),
        cells: masks.flatMap((mask) => specAt(mask).map((spec) => ({ mask, cellId: cellId(spec) }))),
        leftOut,
        skipped,
      };
      const contrasts = contrastsOf(core, full, architecture).flatMap(([before, after]): Contrast[] => {
        const [baseline, contender] = specsOf([before, after]);
        if (baseline === undefined || contender === undefined) return [];
        return [{ baseline: cellId(baseline), contender: cellId(contender) }];
      });
      return { design, specs: specsOf(chosen), core: specsOf(core), contrasts };
    },
  };
}

interface Combinations {
  readonly means: Means;
  readonly changes: readonly Change[];
  /** By mask. */
  readonly resolved: readonly Resolved[];
  /** Null when an end is impossible. */
  readonly grouped: GroupedLattice | null;
}

/** Every subset of the differences, as a cell or with the reason why it is impossible. */
function combinationsOf(from: End, to: End, means: Means): Combinations {
  const changes = changesBetween(from, to, means);
  const isRouteFree = !changes.some(({ sets }) => place.route in sets);
  const start = { ...pointOfEnd(from, means), ...(isRouteFree ? { [place.route]: '' } : {}) };
  const resolved = Array.from({ length: 2 ** changes.length }, (_, mask) =>
    resolve(Object.assign({}, start, ...madeBy(mask, changes).map(({ sets }) => sets)), means),
  );
  const grouped = groupedLattice(changes.length, (mask) => resolved[mask]?.possible === true);
  return { means, changes, resolved, grouped };
}

/** First the steps between the systems or, within one system, each measured step; then the ends. */
function contrastsOf(
  core: readonly Mask[],
  full: Mask,
  architecture: number | null,
): readonly [Mask, Mask][] {
  const steps = core.flatMap((before) =>
    core
      .filter((after) => {
        const bit = after - before;
        const isStep = bit > 0 && (before & bit) === 0 && Number.isInteger(Math.log2(bit));
        return isStep && (architecture === null || bit === 2 ** architecture);
      })
      .map((after): [Mask, Mask] => [before, after]),
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
function changesBetween(from: End, to: End, means: Means): readonly Change[] {
  const [before, after] = [pointOfEnd(from, means), pointOfEnd(to, means)];
  const isEqual = (...keys: readonly string[]): boolean => keys.every((key) => before[key] === after[key]);
  const urls = [from, to].map((end) => definitionOfEnd(end, means).url);
  const change = (key: string, name: string, ...alongside: readonly string[]): Change => ({
    name,
    before: before[key] ?? '',
    after: after[key] ?? '',
    isArchitecture: key === place.system,
    sets: Object.fromEntries([key, ...alongside].map((one) => [one, after[one] ?? ''])),
  });
  const all = [
    ...dataAccessChange(change(place.dataAccess, 'data access'), before, after, means),
    change(place.hop, 'hop'),
    // Two routes of one system with the same hop and data access differ only in their name.
    ...(isEqual(place.system, place.hop, place.dataAccess) ? [change(place.route, 'route')] : []),
    ...(isEqual(place.system) && urls[0] !== urls[1] ? [change(place.endpoint, 'endpoint')] : []),
    ...means.table.map(({ key, name }) => change(key, name)),
    change(place.system, 'architecture', place.endpoint),
  ];
  return all.filter((one) => one.before !== one.after);
}

/** Empty if the ends differ only in each system's own kind of code inside the database. */
function dataAccessChange(change: Change, before: Point, after: Point, means: Means): readonly Change[] {
  const inSystem = (point: Point, access: string): string =>
    accessIn(point[place.system] ?? '', dataAccessSchema.parse(access), means);
  const wanted = inSystem(before, change.after);
  if (wanted === change.before) return [];
  // As configured in the system in which the step is possible.
  return [{ ...change, before: inSystem(after, change.before), after: wanted }];
}

function madeBy(mask: Mask, changes: readonly Change[]): readonly Change[] {
  return changes.filter((_, index) => (mask & (2 ** index)) !== 0);
}

/** The steps from one system to the other between these masks. */
function stepsBetween(masks: readonly Mask[], architecture: number | null): readonly [Mask, Mask][] {
  if (architecture === null) return [];
  const bit = 2 ** architecture;
  return masks.flatMap((mask) => (masks.includes(mask + bit) ? [[mask, mask + bit]] : []));
}

function firstReason(resolved: readonly Resolved[]): string {
  const ends = [resolved[0], resolved.at(-1)];
  const reasons = ends.flatMap((end) => (end?.possible === false ? [end.reason] : []));
  return `ends that are available; ${reasons.join('; ')}`;
}

interface Choice {
  readonly from: End;
  readonly changes: readonly Change[];
  readonly resolved: readonly Resolved[];
  readonly grouped: GroupedLattice;
  readonly chosen: ReadonlySet<Mask>;
}

/** Every combination that is not measured, with its reason. */
function skippedCells({ from, changes, resolved, grouped, chosen }: Choice): ExplainDesign['skipped'] {
  const measured = new Set([...chosen].map(grouped.ungrouped));
  const fitting = new Set(grouped.lattice.masks.map(grouped.ungrouped));
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
