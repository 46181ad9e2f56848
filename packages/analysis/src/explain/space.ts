/** Which changes between two ends have been made: bit i is change i. 0 is one end, `2 ** changes − 1` the other. */
export type Combination = number;

/** Changes that are made at once, by their numbers; most groups have one. */
export type Groups = readonly (readonly number[])[];

/** The combinations between two ends that can be measured. A mask of this space has a bit for each group. */
export interface Space {
  readonly groups: Groups;
  /** All that are possible, ascending: the first end, …, the last end. */
  readonly masks: readonly Combination[];
  /** One group at a time, from end to end, in the order of the groups as far as that is possible. */
  readonly path: readonly Combination[];
  /** The mask of single changes for one of groups. */
  readonly ungrouped: (mask: Combination) => Combination;
}

/**
 * The space of single changes. Where no path leads from one end to the other, as few changes as possible are merged into
 * one. Null when one of the ends is impossible.
 */
export function spaceOf(changes: number, isPossible: (mask: Combination) => boolean): Space | null {
  if (!isPossible(0) || !isPossible(2 ** changes - 1)) return null;
  for (const merged of mergers(changes)) {
    const space = spaceWith(groupsOf(changes, merged), isPossible);
    if (space !== null) return space;
  }
  return null;
}

/** The space of these groups; null where no path leads from one end to the other. */
export function spaceWith(groups: Groups, isPossible: (mask: Combination) => boolean): Space | null {
  const ungrouped = (mask: Combination): Combination => expand(mask, groups);
  const all = Array.from({ length: 2 ** groups.length }, (_, mask) => mask);
  const masks = all.filter((mask) => isPossible(ungrouped(mask)));
  const path = pathThrough(groups.length, new Set(masks));
  return path === null ? null : { groups, masks, path, ungrouped };
}

/**
 * The space with two groups merged into one, so that fewer combinations explain it; null where no two can be merged. The
 * first two of the list come first, how a target is called before how it is loaded: first of those that do not change on both
 * sides of the step between the systems, then of the others.
 * @param architecture the group that is never merged; null within one system.
 */
export function withTwoMerged(
  space: Space,
  architecture: number | null,
  isPossible: (mask: Combination) => boolean,
): Space | null {
  const shared = new Set(sharedGroups(space, architecture));
  const free = space.groups.keys().filter((group) => group !== architecture);
  const order = [...free].toSorted((a, b) => Number(shared.has(a)) - Number(shared.has(b)) || a - b);
  for (const [place, one] of order.entries()) {
    for (const other of order.slice(place + 1)) {
      const merged = spaceWith(mergedGroups(space.groups, one, other), isPossible);
      if (merged !== null) return merged;
    }
  }
  return null;
}

/** The steps from one system to the other between two possible combinations, all else equal. */
export function systemSteps(
  masks: readonly Combination[],
  architecture: number | null,
): readonly (readonly [Combination, Combination])[] {
  if (architecture === null) return [];
  const bit = 2 ** architecture;
  const known = new Set(masks);
  return masks.flatMap((mask) =>
    (mask & bit) === 0 && known.has(mask + bit) ? [[mask, mask + bit] as const] : [],
  );
}

/** The groups that both systems can have either way: each is changed in one step between the systems, and not in another. */
export function sharedGroups({ groups, masks }: Space, architecture: number | null): readonly number[] {
  const before = systemSteps(masks, architecture).map(([mask]) => mask);
  return [...groups.keys()].filter(
    (group) => group !== architecture && new Set(before.map((mask) => mask & (2 ** group))).size === 2,
  );
}

/** How many groups of a mask are changed. */
export function changesMade(mask: Combination): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest &= rest - 1) count += 1;
  return count;
}

/** The first path by the order of the groups; null where there is none. */
export function pathThrough(groups: number, masks: ReadonlySet<Combination>): readonly Combination[] | null {
  const full = 2 ** groups - 1;
  const dead = new Set<Combination>();
  const from = (mask: Combination): readonly Combination[] | null => {
    if (!masks.has(mask) || dead.has(mask)) return null;
    if (mask === full) return [mask];
    for (let group = 0; group < groups; group += 1) {
      const rest = (mask & (2 ** group)) === 0 ? from(mask + 2 ** group) : null;
      if (rest !== null) return [mask, ...rest];
    }
    dead.add(mask);
    return null;
  };
  return from(0);
}

/** Sets of changes to merge: none, then every set of two, of three, … as bits; at last all of them. */
function mergers(changes: number): readonly Combination[] {
  const sets = Array.from({ length: 2 ** changes }, (_, set) => set).filter((set) => changesMade(set) !== 1);
  return sets.toSorted((a, b) => changesMade(a) - changesMade(b) || a - b);
}

function groupsOf(changes: number, merged: Combination): Groups {
  const together = Array.from({ length: changes }, (_, change) => change).filter(
    (change) => (merged & (2 ** change)) !== 0,
  );
  return Array.from({ length: changes }, (_, change) => change).flatMap((change) => {
    if (!together.includes(change)) return [[change]];
    return change === together[0] ? [together] : [];
  });
}

function mergedGroups(groups: Groups, one: number, other: number): Groups {
  const together = [...(groups[one] ?? []), ...(groups[other] ?? [])].toSorted((a, b) => a - b);
  const first = Math.min(one, other);
  return groups.flatMap((group, index) => {
    if (index === first) return [together];
    return index === one || index === other ? [] : [group];
  });
}

function expand(mask: Combination, groups: Groups): Combination {
  let single = 0;
  for (const [index, group] of groups.entries()) {
    if ((mask & (2 ** index)) === 0) continue;
    for (const change of group) single += 2 ** change;
  }
  return single;
}
